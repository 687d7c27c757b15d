import pytest

from core.text import TextEncoder, notes_on
from tests.sentences import is_one_sentence


def only_note(encoder: TextEncoder, text: str, pair: str | None = None):
    (note,) = notes_on(encoder.encode(text, pair))
    assert is_one_sentence(note.sentence)
    return note


@pytest.mark.parametrize("text", ["The cat sat.", "a", "<b>bold</b> **x** $y$ :smile:"])
def test_an_ordinary_text_needs_no_note(encoder: TextEncoder, text: str) -> None:
    assert notes_on(encoder.encode(text)) == ()


def test_much_unknown_text_is_a_warning(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "猫追老鼠")
    assert note.warning
    assert note.sentence.startswith("4 of 4 tokens are unknown to the model")


def test_little_unknown_text_is_said_without_warning(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "The small brown cat sat on the red mat 追")
    assert not note.warning
    assert note.sentence.startswith("1 of 10 tokens is unknown")


def test_the_cut_names_how_much_and_after_what(wordpiece: TextEncoder) -> None:
    words = [f"{n}" for n in range(1000, 3000)]
    note = only_note(wordpiece, " ".join(words))
    tokens = wordpiece.encode(" ".join(words))
    assert note.warning
    assert "reads 512 tokens" in note.sentence
    assert f"{tokens.dropped:,} more were cut off" in note.sentence
    assert f"{tokens.text[: tokens.spans[-2][1]][-20:]}”" in note.sentence


def test_the_cut_of_a_pair_says_where_each_text_ends(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "short text", "long " * 2000 + "end")
    assert "after “short text” in the first and “…" in note.sentence
    assert "long” in the second text" in note.sentence


def test_replaced_surrogates_are_a_warning(bytewise: TextEncoder) -> None:
    assert only_note(bytewise, "a\ud800").sentence.startswith("1 broken character became �")
    note = only_note(bytewise, "a\ud800", "\udc00b")
    assert note.sentence.startswith("2 broken characters became �")
    assert note.warning


def test_typed_special_tokens_are_said_to_be_plain_text(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "a [SEP] b")
    assert "“[SEP]”" in note.sentence
    assert not note.warning


def test_characters_that_a_tokenizer_drops_are_named(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "a \u202eb\x00 c")
    assert note.sentence == "The model's tokenizer drops 2 characters of the text without a token: ⟨U+202E⟩, ⟨U+0000⟩."
    assert not note.warning


def test_several_typed_special_tokens_are_named_in_the_order_of_the_text(wordpiece: TextEncoder) -> None:
    note = only_note(wordpiece, "[SEP] a [CLS] b")
    assert note.sentence.startswith("“[SEP]”, “[CLS]” in your text are read letter by letter")


def test_all_that_happened_is_told(wordpiece: TextEncoder) -> None:
    notes = notes_on(wordpiece.encode("猫\ud800[SEP]" * 500))
    assert len(notes) == 4
