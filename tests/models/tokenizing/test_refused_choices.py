"""Choices that make no tokenizer, each with the sentence that refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import HeadlightError
from core.models.tokenizing import Bytes, Characters, FromFile, Specials, Whitespace
from core.models.tokenizing.building import built
from core.models.tokenizing.vocabularies import MOST_ENTRIES


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (Characters(("a", "b")), "has no token for what it does not know"),
        (Characters(("a", "b"), Specials(unknown="<unk>")), "no token “<unk>” for what it does not know"),
        (Whitespace(("a", "b"), Specials(unknown="a", pad="c")), "no token “c” for padding"),
        (Characters(("a", "b"), Specials(unknown="a", end="\u202e")), "no token “\\u202e” for the end of a text"),
        (Characters(("a", " "), Specials(unknown=" ")), "White space cannot stand for what it does not know"),
        (Characters(("a", "b", "a")), "“a” stands in it twice, in the entries 1 and 3"),
        (Characters(()), "there is no token in it"),
        (Characters(("", "")), "there is no token in it"),
        (Characters(("\ud800",)), "holds half a character"),
        (Characters(("x" * 1_001,)), "has 1,001 characters"),
        (Characters(("",) * (MOST_ENTRIES + 1)), "2,000,001 tokens and 2,000,000 are allowed"),
        (Bytes(-1), "must lie between 0 and 1,000,000"),
        (Bytes(1_000_001), "must lie between 0 and 1,000,000"),
        (Bytes(1, ("<a>", "<b>")), "2 names for the 1 ids before byte 0"),
        (Bytes(2, ("<a>", "b")), "A name of one letter"),
        (Bytes(2, ("<a>", "<a>")), "“<a>” stands in it twice"),
        (Bytes(1, ("<0x41>",)), "“<0x41>” stands in it twice"),
        (Bytes(specials=Specials(start="<s>")), "no token “<s>” for the start of a text"),
        (FromFile(Path("/nowhere/vocab.txt")), "cannot be read from the disk"),
    ],
)
def test_a_choice_that_makes_no_tokenizer_is_refused(choice: Characters | Bytes | FromFile, sentence: str) -> None:
    with pytest.raises(HeadlightError) as refusal:
        built(choice)
    assert sentence in str(refusal.value)
