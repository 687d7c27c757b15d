"""Words that somebody counted, found in a model's tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.capture.word_groups import groups_of
from core.text import TextEncoder, Tokens, byte_encoder, character_encoder, word_encoder
from tests.capture.word_traces import pieces
from tests.sentences import refused

SENTENCES = {
    "elision": ("L'homme n'est pas là.", ["l’", "homme", "n'", "est", "pas", "là", "."]),
    "hyphen": ("As-tu vu peut-être ?", ["As", "-tu", "vu", "peut-être", "?"]),
    "capitals": ("THE OLD Station", ["the", "old", "station"]),
    "ideographs": ("猫追老鼠。", ["猫", "追", "老鼠", "。"]),
    "wide signs": ("Ｗｈｅｒｅ？", ["where", "?"]),
    "no accents": ("cafe au la", ["café", "au", "là"]),
}


def words_of(text: str, words: list[str], encoder: TextEncoder) -> list[tuple[str, str]]:
    """Each word with the characters of its tokens."""
    tokens = encoder.encode(text)
    groups = groups_of(tokens, words)
    return [(group.label, _text_of(tokens, group.tokens)) for group in groups if not group.special]


def _text_of(tokens: Tokens, places: tuple[int, ...]) -> str:
    spans = [span for place in places if (span := tokens.spans[place])]
    return tokens.text[min(start for start, _ in spans) : max(end for _, end in spans)].strip()


@pytest.mark.parametrize("name", SENTENCES)
def test_each_word_has_the_tokens_of_its_characters(name: str) -> None:
    text, words = SENTENCES[name]
    characters = character_encoder(sorted(set(text)))
    for encoder in (pieces(), characters, byte_encoder()):
        found = words_of(text, words, encoder)
        assert [label for label, _ in found] == words
        assert "".join(own for _, own in found) == "".join(text.split())


def test_a_token_that_lies_in_two_words_is_shared_by_their_characters() -> None:
    tokens = word_encoder(["<unk>", "l'homme", "est"], unknown="<unk>").encode("l'homme est")
    article, man, verb = groups_of(tokens, ["l'", "homme", "est"])
    assert (article.tokens, man.tokens, verb.tokens) == ((0,), (0,), (1,))
    assert (article.shares, man.shares) == ((2 / 7,), (5 / 7,))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("abcé'猫鼠.", min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
def test_every_token_is_given_out_once(words: list[str], spaced: bool) -> None:
    tokens = pieces().encode((" " if spaced else "").join(words))
    groups = groups_of(tokens, words)
    given_out = [0.0] * len(tokens)
    for group in groups:
        for place, share in zip(group.tokens, group.shares, strict=True):
            given_out[place] += share
    assert given_out == pytest.approx([1.0] * len(tokens))
    assert [group.label for group in groups if not group.special] == words


def with_unknown(text: str, lost: set[int]) -> Tokens:
    """A text that a model wrote, <unk> in place of some of its words."""
    tokens, unknown = pieces().encode(text), pieces().unknown_id
    members = enumerate(tokens.merged().members)
    words = [[unknown] if word in lost else [tokens.ids[i] for i in places] for word, places in members]
    return pieces().tokens_of_ids([token for word in words for token in word])


@pytest.mark.parametrize("lost", [{0}, {1}, {3}, {0, 3}])
def test_an_unknown_token_stands_for_the_word_that_is_missing(lost: set[int]) -> None:
    tokens = with_unknown("the man is old", lost)
    groups = groups_of(tokens, ["the", "man", "is", "old"])
    unknown = {word for word, group in enumerate(groups) if any(tokens.unknown[place] for place in group.tokens)}
    assert unknown == lost
    assert all(len(groups[word].tokens) == 1 for word in lost)


@pytest.mark.parametrize("lost", [{1, 2}, {0, 1, 2, 3}])
def test_unknown_tokens_in_a_row_share_the_words_that_are_missing(lost: set[int]) -> None:
    groups = groups_of(with_unknown("the man is old", lost), ["the", "man", "is", "old"])
    assert [group.label for group in groups] == ["the", "man", "is", "old", "</s>"]


def test_an_unknown_token_may_stand_for_two_words() -> None:
    tokens = with_unknown("the man is", {1})
    groups = groups_of(tokens, ["the", "old", "café", "is"])
    assert groups[1].tokens == groups[2].tokens
    assert (groups[1].shares, groups[2].shares) == ((3 / 7,), (4 / 7,))


def test_special_tokens_stand_where_they_stood(minilm) -> None:
    groups = groups_of(minilm.encoder.encode("The cats"), ["The", "cats"])
    assert [group.label for group in groups] == ["[CLS]", "The", "cats", "[SEP]"]
    assert [group.special for group in groups] == [True, False, False, True]


def test_a_token_of_a_space_alone_is_part_of_the_word_after_it_or_at_the_end_before_it() -> None:
    tokens = pieces().encode("a ' b ")
    assert "▁" in tokens.pieces
    groups = groups_of(tokens)
    assert [group.label for group in groups] == ["a", "'", "b", "</s>"]
    assert [place for group in groups for place in group.tokens] == list(range(len(tokens)))


def test_the_words_of_another_text_are_refused() -> None:
    tokens = pieces().encode("The old man knows.")
    for words in (["Nous", "avons", "faim"], [], ["the"] * 3000):
        with refused("not the words of the text"):
            groups_of(tokens, words)
    for words in (["The", "old", "men", "know", "."], ["The", "old", "man", "knows", ".", "café"], ["The", "old"]):
        with refused("not the words of the text"):
            groups_of(tokens, words)
    with refused("nothing of the word “‍”"):
        groups_of(tokens, ["The", "old", "man", "knows", ".", "\u200d"])
    with refused("not the words of the text"):
        groups_of(with_unknown("the man is old", {1}), ["the", "man", "was", "old"])
