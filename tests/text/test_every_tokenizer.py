"""What holds for tokenizers of every kind, on wild text and on any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.text import TextEncoder, Tokens
from tests.text.setups import WRITERS
from tests.text.strategies import TEXTS

WILD = "naïve 我爱你 🧑‍🌾💩💩 العربية\n\tx"
EXAMPLES = 40
SETUPS = pytest.mark.parametrize("setup", WRITERS)
# These read every character and change none, so their text comes back from the ids.
LOSSLESS = ("llama", "older llama", "gemma", "byt5", "gpt2", "roberta")
Encoders = dict[str, TextEncoder]


def own(tokens: Tokens, sequence: int = 0) -> list[tuple[int, int]]:
    return [span for span, s in zip(tokens.spans, tokens.sequences, strict=True) if span and s == sequence]


def covered(tokens: Tokens, sequence: int = 0) -> set[int]:
    return {i for span in own(tokens, sequence) for i in range(*span)}


def encoded(encoder: TextEncoder, text: str, pair: str | None = None) -> Tokens | None:
    """None for a text of which a tokenizer keeps nothing."""
    try:
        return encoder.encode(text, pair)
    except HeadlightError:
        return None


def kept(tokenizer: PreTrainedTokenizerBase, text: str) -> set[int]:
    """Places of the characters that are seen in the normalised text: without one of them, it would be another."""
    processor = getattr(tokenizer, "spm_source", None)
    normalizer = tokenizer.backend_tokenizer.normalizer if tokenizer.is_fast else None
    if processor is None and normalizer is None:
        return {i for i, character in enumerate(text) if not character.isspace()}
    # SentencePiece may know more of Unicode than Python does, and what Python does not know cannot always be aligned.
    if processor is not None and any(unicodedata.category(character) == "Cn" for character in text):
        return set()
    normalize = processor.normalize if normalizer is None else normalizer.normalize_str
    whole = normalize(text)
    return {
        i
        for i, character in enumerate(text)
        if normalize(character).strip("▁ ") and not character.isspace() and normalize(text[:i] + text[i + 1 :]) != whole
    }


def check(tokens: Tokens) -> None:
    """What every `Tokens` keeps to."""
    assert all(tokens.labels)
    assert [s is None for s in tokens.sequences] == list(tokens.special)
    assert [w is None for w in tokens.words] == list(tokens.special)
    assert [span is None for span in tokens.spans] == list(tokens.special)
    for sequence, text in enumerate((tokens.text, tokens.text_pair or "")):
        spans = own(tokens, sequence)
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        assert spans == sorted(spans)
        assert [end for _, end in spans] == sorted(end for _, end in spans)
    words = [word for word in tokens.words if word is not None]
    assert words == sorted(words)
    assert set(words) == set(range(len(set(words))))
    typed = tokens.text + (tokens.text_pair or "")
    for sign in "Ġ▁Ċĉ":
        assert sign in typed or not any(sign in label for label in tokens.labels)


@SETUPS
@settings(deadline=None, max_examples=EXAMPLES)
@given(text=TEXTS, pair=st.none() | TEXTS)
def test_tokens_are_in_order_and_the_users_own(encoders: Encoders, setup: str, text: str, pair: str | None) -> None:
    encoder = encoders[setup]
    tokens = encoded(encoder, text, pair)
    if tokens is None:
        return
    check(tokens)
    typed = {i for i, special in zip(tokens.ids, tokens.special, strict=True) if not special}
    assert not typed & (encoder.reader.special_ids - {encoder.unknown_id})


@SETUPS
@settings(deadline=None, max_examples=EXAMPLES)
@given(text=TEXTS)
def test_every_character_that_the_normaliser_keeps_is_covered(
    opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders, setup: str, text: str
) -> None:
    tokens = encoded(encoders[setup], text)
    if tokens is None:
        return
    missing = kept(opened[setup], tokens.text) - covered(tokens)
    assert not {place: tokens.text[place] for place in missing}


@SETUPS
@settings(deadline=None, max_examples=EXAMPLES)
@given(text=TEXTS)
def test_ids_are_those_of_transformers_where_no_special_token_is_typed(
    opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders, setup: str, text: str
) -> None:
    tokens = encoded(encoders[setup], text)
    if tokens is not None and not tokens.literals:
        assert list(tokens.ids) == opened[setup](tokens.text).input_ids


@pytest.mark.parametrize("setup", LOSSLESS)
@settings(deadline=None, max_examples=EXAMPLES)
@given(text=TEXTS)
def test_a_lossless_tokenizer_covers_everything_and_gives_it_back(encoders: Encoders, setup: str, text: str) -> None:
    tokens = encoded(encoders[setup], text)
    if tokens is None:
        return
    assert covered(tokens) == set(range(len(tokens.text)))
    if encoders[setup].reader.space_mark == "▁" and (tokens.text.startswith(" ") or "▁" in tokens.text):
        return  # SentencePiece reads these as it reads the text without the first space, or with a space for the sign
    again = encoders[setup].tokens_of_ids(tokens.ids)
    check(again)
    assert again.text == tokens.text
    assert (again.special, again.spans, again.labels) == (tokens.special, tokens.spans, tokens.labels)


@SETUPS
def test_the_wild_text_is_shown_in_its_own_characters(encoders: Encoders, setup: str) -> None:
    tokens = encoders[setup].encode(WILD)
    check(tokens)
    places = covered(tokens)
    assert all(i in places for i, c in enumerate(WILD) if not c.isspace())
    merged = tokens.merged()
    words = [label for label, special in zip(merged.labels, merged.special, strict=True) if not special]
    shown = "".join(words).replace("␣", " ").replace("⏎", "\n").replace("⇥", "\t")
    assert "".join(shown.split()) == "".join(WILD.split())
    assert words[0] == "naïve"
    # Right-to-left letters stay in the order in which they are read.
    assert "العربية" in shown


@pytest.mark.parametrize(
    "setup", ["llama", "older llama", "gemma", "unigram with bytes", "byt5", "gpt2", "qwen", "roberta"]
)
def test_words_of_the_wild_text_hold_one_sign_of_its_kind_each(encoders: Encoders, setup: str) -> None:
    words = encoders[setup].encode(WILD).merged().labels
    first = words.index("naïve")
    assert words[first + 1 : first + 8] == ("␣我", "爱", "你", "␣🧑‍🌾", "💩", "💩", "␣العربية")


@pytest.mark.parametrize("setup", ["llama", "older llama", "gemma", "unigram with bytes", "byt5"])
def test_a_character_split_over_byte_tokens_is_numbered(encoders: Encoders, setup: str) -> None:
    tokens = encoders[setup].encode("x 💩💩")
    assert tokens.labels[-9:-1] != tokens.labels[-8:]
    assert [label for label in tokens.labels if "💩" in label] == [f"💩[{i}/4]" for i in (1, 2, 3, 4)] * 2


@SETUPS
def test_repeated_words_stay_apart(encoders: Encoders, setup: str) -> None:
    text = "the cat and the dog and the the bird"
    tokens = encoders[setup].encode(text)
    merged = tokens.merged()
    own_words = [label.lstrip("␣") for label, s in zip(merged.labels, merged.special, strict=True) if not s]
    assert own_words == text.split()
    assert len(set(own(tokens))) == len(own(tokens)) - own(tokens).count((0, 0)) + (own(tokens).count((0, 0)) > 0)


@SETUPS
def test_spaces_of_the_text_show_alike_and_added_ones_do_not(encoders: Encoders, setup: str) -> None:
    tokens = encoders[setup].encode("the cat")
    shown = "".join(label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special)
    assert shown.replace("⟨␣⟩", "") == ("thecat" if setup == "bert" else "the␣cat")
    leading = encoders[setup].encode("é").labels
    assert "␣" not in "".join(leading).replace("⟨␣⟩", "")


@SETUPS
@pytest.mark.parametrize("place", ["{}", "a {} b", "a{}b", "{}{}"])
def test_a_typed_special_token_is_never_read_as_one(encoders: Encoders, setup: str, place: str) -> None:
    encoder = encoders[setup]
    names = ("<s>", "</s>", "<pad>", "<mask>", "[SEP]", "<|endoftext|>", "<extra_id_0>", "<bos>", "<unk>", "<0x0A>")
    for name in names:
        tokens = encoder.encode(place.replace("{}", name))
        alone = {i for i, special in zip(tokens.ids, tokens.special, strict=True) if not special}
        assert not alone & (encoder.reader.special_ids - {encoder.unknown_id})
        assert len(tokens) - sum(tokens.special) > 1
        assert "<0x0A>" not in tokens.pieces
        assert (name in tokens.literals) == (name in encoder.special_names)
        assert "".join(tokens.merged().labels).count(name.strip("<>[]")) >= 1


@pytest.mark.parametrize("setup", ["llama", "t5", "xlm-roberta", "roberta", "bert", "marian", "byt5", "gpt2"])
def test_pairs_are_laid_out_as_transformers_does(
    opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders, setup: str
) -> None:
    tokens = encoders[setup].encode("the cat", "the dog 我")
    check(tokens)
    assert list(tokens.ids) == opened[setup]("the cat", "the dog 我").input_ids
    first, second = covered(tokens, 0), covered(tokens, 1)
    assert first >= {0, 1, 2, 4, 5, 6}
    assert second >= {0, 1, 2, 4, 5, 6, 8}


def test_a_pair_of_roberta_has_two_signs_between(encoders: Encoders) -> None:
    for setup in ("roberta", "xlm-roberta"):
        tokens = encoders[setup].encode("the cat", "a dog")
        names = [label for label, special in zip(tokens.labels, tokens.special, strict=True) if special]
        assert names == ["<s>", "</s>", "</s>", "</s>"]
        between = [i for i, s in enumerate(tokens.special) if s][1:3]
        assert between[1] == between[0] + 1
        assert len([n for n in tokens.merged().labels if n == "</s>"]) == 3


def test_added_tokens_that_are_not_special_are_words_of_the_vocabulary(encoders: Encoders) -> None:
    tokens = encoders["qwen"].encode("<think>cat</think> x")
    assert tokens.labels[0] == "<think>"
    assert tokens.spans[0] == (0, 7)
    assert "</think>" in tokens.labels
    assert not any(tokens.special)
    assert tokens.literals == ()


@pytest.mark.parametrize(
    ("setup", "text", "labels"),
    [
        ("t5", "ﬁ", ["ﬁ[1/2]", "ﬁ[2/2]"]),
        ("older t5", "the ﬁ", ["the", "␣", "ﬁ"]),
        ("bert", "İ e\u0301", ["İ", "e\u0301"]),
        ("albert", "the İ", ["the", "␣", "İ"]),
    ],
)
def test_a_normaliser_that_changes_lengths_leaves_the_users_letters(
    encoders: Encoders, setup: str, text: str, labels: list[str]
) -> None:
    tokens = encoders[setup].encode(text)
    shown = [label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special]
    joined = "".join(shown).replace("⟨␣⟩", "")
    assert joined == "".join(labels)


@SETUPS
def test_nothing_is_padded(opened: dict[str, PreTrainedTokenizerBase], encoders: Encoders, setup: str) -> None:
    assert opened[setup].pad_token_id is None or opened[setup].pad_token_id not in encoders[setup].encode("the cat").ids
