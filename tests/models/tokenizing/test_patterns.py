"""Users' regular expressions: what is refused, in how long, and with which sentence."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from core.errors import HeadlightError
from core.models.tokenizing import SMILES, Pattern, write_tokenizer
from core.models.tokenizing.trying import LONGEST_PATTERN, try_pattern

VOCABULARY = ("<unk>", "a", "b", "x")
PUBLISHED = r"(\[[^\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|\/|:|~|@|\?|>|\*|\$|\%[0-9]{2}|[0-9])"
REACTION = r"C[C@H](N)C(=O)O.[Na+].Brc1ccc(cc1)%10>>O=C\C=C/Cl"


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(x+x+)+y", "(a|a)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "x*x*x*x*x*x*y"],
)
def test_a_pattern_that_never_ends_is_refused_in_time(tmp_path: Path, pattern: str) -> None:
    start = time.monotonic()
    with pytest.raises(HeadlightError, match=r"takes too many steps on the text|took longer than 2 seconds") as refusal:
        write_tokenizer(Pattern(pattern, VOCABULARY), tmp_path)
    assert time.monotonic() - start < 30  # of a machine that has other work
    assert "repetition" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pattern", ["(", "[b-a]", "(?P<n>a)", r"\p{Nonsense}", "*", "(?<n>a)\\k<m>"])
def test_a_pattern_that_cannot_be_compiled_is_refused(pattern: str) -> None:
    with pytest.raises(HeadlightError, match=r"The regular expression cannot be used \(.+\): correct it\."):
        try_pattern({"pattern": pattern, "words": []})


@pytest.mark.parametrize(("pattern", "sentence"), [("", "is empty"), ("a" * (LONGEST_PATTERN + 1), "1,001 characters")])
def test_a_pattern_has_a_length(pattern: str, sentence: str) -> None:
    with pytest.raises(HeadlightError, match=sentence):
        try_pattern({"pattern": pattern, "words": []})


@pytest.mark.parametrize(
    "pattern",
    ["(?i:\\p{L}[[:alpha:]]){1,1000}" * 20, "(" * 400 + ")" * 400],
)
def test_a_pattern_that_multiplies_itself_ends_in_a_tokenizer_or_a_sentence(tmp_path: Path, pattern: str) -> None:
    said = "The regular expression"
    try:
        write_tokenizer(Pattern(pattern, VOCABULARY), tmp_path)
    except HeadlightError as refusal:
        said = str(refusal)
    assert said.startswith("The regular expression")


@pytest.mark.parametrize(
    "pattern", [SMILES, PUBLISHED, r"\w+|\S", "[A-Z]", r"'s|\p{L}+| ?[^\s\p{L}]+|\s+", "(?=[A-Z])"]
)
def test_harmless_patterns_pass(pattern: str) -> None:
    assert try_pattern({"pattern": pattern, "words": ["abc", "Cl", REACTION]}) == []


def test_the_bounded_pattern_reads_as_the_published_one_does() -> None:
    published = [match[0] for match in re.finditer(PUBLISHED, REACTION)]
    assert published == re.findall(SMILES, REACTION)
    assert "".join(published) == REACTION


def test_where_python_reads_a_pattern_otherwise_it_is_said() -> None:
    (note,) = try_pattern({"pattern": "^.", "words": ["a\nb"]})
    assert "Python's re finds other matches" in note
    assert "a\\nb" in note
