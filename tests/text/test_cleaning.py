import pytest
from hypothesis import given

from core.text.cleaning import REPLACEMENT, replace_lone_surrogates, require_text
from tests.sentences import refused
from tests.text.strategies import TEXTS


@given(TEXTS)
def test_cleaned_text_can_be_encoded_and_keeps_every_other_character(text: str) -> None:
    cleaned, count = replace_lone_surrogates(text)
    cleaned.encode("utf-8")
    assert len(cleaned) == len(text)
    changed = [(old, new) for old, new in zip(text, cleaned, strict=True) if old != new]
    assert all("\ud800" <= old <= "\udfff" and new == REPLACEMENT for old, new in changed)
    assert count == len(changed) + text.count(REPLACEMENT)


def test_what_was_lost_before_is_counted_with_what_is_lost_now() -> None:
    assert replace_lone_surrogates("a\ufffd\udc00") == ("a\ufffd\ufffd", 2)


@pytest.mark.parametrize("text", ["", " ", "\n\t  \r", "\u00a0\u3000\u2003", "\x85\u2028"])
def test_nothing_to_read_is_refused_with_one_sentence(text: str) -> None:
    with refused("type"):
        require_text(text)


@pytest.mark.parametrize("text", ["a", " a ", ".", "\u200b", "\x00"])
def test_anything_else_is_left_to_the_tokenizer(text: str) -> None:
    require_text(text)
