from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.text import TextEncoder, Tokens
from core.text.assembly import fit
from core.text.cleaning import replace_lone_surrogates
from tests.byte_level import SETUPS
from tests.sentences import is_one_sentence, refused
from tests.text.strategies import TEXTS


def own(tokens: Tokens, column: tuple) -> list:
    """A column without the special tokens' entries."""
    return [entry for entry, special in zip(column, tokens.special, strict=True) if not special]


def encoded(encoder: TextEncoder, text: str, pair: str | None) -> Tokens | None:
    """None where one sentence says why not; any other error comes through."""
    refusal = ""
    try:
        return encoder.encode(text, pair)
    except HeadlightError as error:
        refusal = str(error)
    assert is_one_sentence(refusal)
    return None


def test_words_of_a_sentence_are_its_tokens(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("The cat sat quietly.")
    assert tokens.labels == ("[CLS]", "The", "cat", "sat", "quietly", ".", "[SEP]")
    assert tokens.pieces[1:5] == ("the", "cat", "sat", "quietly")
    assert tokens.ids[0] == 101
    assert tokens.ids[-1] == 102
    assert tokens.special == (True, False, False, False, False, False, True)
    assert tokens.kinds == ("special", "", "", "", "", "", "special")


def test_chinese_is_four_unknown_tokens_that_show_their_characters(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("猫追老鼠")
    assert own(tokens, tokens.labels) == ["猫", "追", "老", "鼠"]
    assert own(tokens, tokens.pieces) == ["[UNK]"] * 4
    assert own(tokens, tokens.kinds) == ["unknown"] * 4
    assert tokens.unknown_share == 1.0


@pytest.mark.parametrize("name", ["[SEP]", "[CLS]", "[MASK]", "[UNK]", "[PAD]"])
def test_a_typed_special_token_is_plain_text_and_is_noted(wordpiece: TextEncoder, name: str) -> None:
    tokens = wordpiece.encode(f"a {name} b")
    assert tokens.literals == (name,)
    assert sum(tokens.special) == 2
    assert "".join(own(tokens, tokens.labels)) == f"a{name}b"
    assert wordpiece.reader.backend.token_to_id(name) not in own(tokens, tokens.ids)


@pytest.mark.parametrize("name", ["<s>", "</s>", "<|endoftext|>"])
def test_a_typed_special_token_is_bytes_to_a_byte_level_model(bytewise: TextEncoder, name: str) -> None:
    tokens = bytewise.encode(name)
    assert "".join(tokens.labels) == name
    assert name in tokens.literals
    assert not any(tokens.special)
    assert bytewise.reader.backend.token_to_id(name) not in tokens.ids


def test_special_tokens_typed_in_the_pair_are_noted_too(wordpiece: TextEncoder) -> None:
    assert wordpiece.encode("a", "b [MASK]").literals == ("[MASK]",)


def test_lone_surrogates_are_replaced_and_counted_over_both_texts(encoder: TextEncoder) -> None:
    tokens = encoder.encode("a\ud800b", "c\udfff\ude00")
    assert (tokens.text, tokens.text_pair, tokens.replaced) == ("a\ufffdb", "c\ufffd\ufffd", 3)


@pytest.mark.parametrize("text", ["", " ", "\n\t  ", "\u00a0\u3000"])
def test_an_empty_text_is_refused(encoder: TextEncoder, text: str) -> None:
    with refused("type"):
        encoder.encode(text)
    with refused("type"):
        encoder.encode("a", text)


@pytest.mark.parametrize("text", ["\u200b", "\x00\x07", "\u202e", "\ud800", "\u200d\u200c"])
def test_a_text_of_which_the_tokenizer_keeps_nothing_is_refused(wordpiece: TextEncoder, text: str) -> None:
    with refused("drops every character"):
        wordpiece.encode(text)
    with refused("drops every character"):
        wordpiece.encode("a", text)


def test_no_pair_is_no_second_text(encoder: TextEncoder) -> None:
    assert encoder.encode("a b", None) == encoder.encode("a b")


def test_twenty_thousand_tokens_are_cut_between_the_special_ones(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("word " * 20_000)
    assert len(tokens) == 512
    assert tokens.labels == ("[CLS]", *["word"] * 510, "[SEP]")
    assert tokens.dropped == 20_002 - 512
    assert tokens.spans[-2] == (509 * 5, 509 * 5 + 4)


def test_of_a_pair_the_longer_text_is_cut_first(wordpiece: TextEncoder) -> None:
    for first, second in [(3, 2000), (2000, 3), (400, 200), (2000, 1000)]:
        tokens = wordpiece.encode("word " * first, "word " * second)
        kept = [tokens.sequences.count(sequence) for sequence in (0, 1)]
        assert len(tokens) == 512
        assert sum(kept) == 509
        assert tokens.dropped == first + second - 509
        assert [place for place, special in enumerate(tokens.special) if special] == [0, kept[0] + 1, 511]
        assert kept[0] == first or kept[1] == second or abs(kept[0] - kept[1]) <= 1


@given(first=st.integers(1, 60), second=st.integers(0, 60), special=st.integers(0, 4), room=st.integers(0, 70))
def test_cutting_keeps_specials_order_and_balance(first: int, second: int, special: int, room: int) -> None:
    sequences = [None] * special + [0] * first + [1] * second
    kept = fit(sequences, room)
    left = [sum(sequences[i] == s for i in kept) for s in (0, 1)]
    assert kept == sorted(kept)
    assert kept[:special] == list(range(special))
    assert len(kept) == max(special, min(room, len(sequences)))
    shortened = [left[0] < first, left[1] < second]
    # A text is cut only down to the length of the other, or both are.
    assert not shortened[0] or left[0] >= left[1] - 1
    assert not shortened[1] or left[1] >= left[0] - 1


def test_type_ids_of_a_pair_are_those_of_bert(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("one two", "three four five")
    assert tokens.labels == ("[CLS]", "one", "two", "[SEP]", "three", "four", "five", "[SEP]")
    assert tokens.type_ids == (0, 0, 0, 0, 1, 1, 1, 1)
    assert tokens.sequences == (None, 0, 0, None, 1, 1, 1, None)


def test_words_are_counted_on_in_the_pair(encoder: TextEncoder) -> None:
    tokens = encoder.encode("one two", "three four")
    words = own(tokens, tokens.words)
    assert words == sorted(words)
    first = {word for word, s in zip(tokens.words, tokens.sequences, strict=True) if s == 0}
    second = {word for word, s in zip(tokens.words, tokens.sequences, strict=True) if s == 1}
    assert (first, second) == ({0, 1}, {2, 3})


def test_pieces_of_a_word_share_its_number(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("tokenization matters")
    assert own(tokens, tokens.labels) == ["token", "ization", "matters"]
    assert own(tokens, tokens.words) == [0, 0, 1]


@settings(deadline=None)
@given(text=TEXTS, pair=st.none() | TEXTS)
def test_any_text_gives_one_label_a_token_or_one_sentence(encoder: TextEncoder, text: str, pair: str | None) -> None:
    tokens = encoded(encoder, text, pair)
    if tokens is None:
        return
    assert all(tokens.labels)
    assert tokens.replaced == replace_lone_surrogates(text + (pair or ""))[1]
    assert [s is None for s in tokens.sequences] == list(tokens.special)
    assert [w is None for w in tokens.words] == list(tokens.special)
    assert [span is None for span in tokens.spans] == list(tokens.special)
    typed = tokens.text + (tokens.text_pair or "")
    for sign in ("Ġ", "Ċ", "ĉ", "##"):
        assert sign in typed or not any(sign in label for label in tokens.labels)


@settings(deadline=None)
@given(text=TEXTS.filter(lambda text: not replace_lone_surrogates(text)[0].isspace()))
@pytest.mark.parametrize("setup", SETUPS)
def test_a_byte_level_model_reads_every_text(byte_level_encoders: dict[str, TextEncoder], setup: str, text: str):
    assert sum(not s for s in byte_level_encoders[setup].encode(text).special) > 0


@pytest.fixture(scope="module")
def byte_level_encoders() -> dict[str, TextEncoder]:
    return {name: TextEncoder.fix(make(), None, 4096) for name, make in SETUPS.items()}


def test_an_added_prefix_space_that_is_its_own_token_covers_nothing() -> None:
    encoder = TextEncoder.fix(SETUPS["roberta with a space put first"](), None, 4096)
    tokens = encoder.encode("é cat")
    assert own(tokens, tokens.labels) == ["⟨␣⟩", "é", "␣cat"]
    assert own(tokens, tokens.spans) == [(0, 0), (0, 1), (1, 5)]


def test_fixing_leaves_the_given_tokenizer_as_it_was(byte_level: tokenizers.Tokenizer) -> None:
    given = tokenizers.Tokenizer.from_str(byte_level.to_str())
    given.enable_padding(length=64)
    given.enable_truncation(8)
    before = given.to_str()
    encoder = TextEncoder.fix(given, None, 4096)
    assert given.to_str() == before
    assert len(encoder.encode("a b c d e f g h i j k l m n o p")) > 8


def test_fixing_keeps_the_vocabulary_to_the_letter(byte_level: tokenizers.Tokenizer, wordpiece: TextEncoder) -> None:
    for backend in (byte_level, wordpiece.reader.backend):
        fixed = TextEncoder.fix(backend, None, 64).reader.backend
        assert fixed.get_vocab() == backend.get_vocab()
        assert fixed.encode("naïve 😀 ﬁ").ids == backend.encode("naïve 😀 ﬁ").ids


def test_threads_share_an_encoder(encoder: TextEncoder) -> None:
    texts = [f"{'the cat 猫 😀 naïve ' * n}[SEP] {n}" for n in range(1, 41)]
    alone = [encoder.encode(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for together in [pool.map(encoder.encode, texts) for _ in range(8)]:
            assert list(together) == alone


def test_threads_share_an_encoder_without_a_backend(encoders: dict[str, TextEncoder]) -> None:
    marian = encoders["marian"]
    texts = [f"{'the cat 我爱你 café ' * n}</s> {n}" for n in range(1, 21)]
    alone = [(marian.encode(text), marian.encode_target(text)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        both = pool.map(lambda text: (marian.encode(text), marian.encode_target(text)), texts * 3)
        assert list(both) == alone * 3


def test_tokens_refuse_columns_of_different_lengths(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("The cat sat.")
    for column in ("pieces", "labels", "spans", "sequences", "words", "type_ids", "special", "unknown"):
        with pytest.raises(ValueError, match="differ in length"):
            replace(tokens, **{column: getattr(tokens, column)[:-1]})


def test_tokens_without_any_of_the_user_have_no_unknown_share(wordpiece: TextEncoder) -> None:
    cut = replace(wordpiece, max_length=2)
    tokens = cut.encode("猫")
    assert (len(tokens), tokens.dropped, tokens.unknown_share) == (2, 1, 0.0)
