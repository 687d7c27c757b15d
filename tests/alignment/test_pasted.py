"""Pasted links: what is read, and what is told of anything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alignment import MOST_LINKS, parse_links
from core.errors import HeadlightError
from tests.sentences import is_one_sentence, refused

SOURCE, TARGET = ["the", "black", "cat"], ["le", "chat", "noir", "."]


def test_sure_links_are_possible_too_and_the_target_comes_first() -> None:
    sure, possible = parse_links("0-0 1-2 2-1 2p3", SOURCE, TARGET)
    assert sure == {(0, 0), (2, 1), (1, 2)}
    assert possible == sure | {(3, 2)}


def test_words_may_be_counted_from_one() -> None:
    assert parse_links("1-1 2-3 3-2 3p4", SOURCE, TARGET, first=1) == parse_links("0-0 1-2 2-1 2p3", SOURCE, TARGET)


@pytest.mark.parametrize("text", ["0-0,1-2", "0-0\n1-2\n", " 0-0\t1-2 ", "0-0, 1-2, 0-0", "0–0 1–2"])
def test_links_stand_between_spaces_commas_or_lines(text: str) -> None:
    assert parse_links(text, SOURCE, TARGET)[0] == {(0, 0), (2, 1)}


def test_a_link_that_is_given_both_ways_is_sure() -> None:
    assert parse_links("0p0 0-0", SOURCE, TARGET) == ({(0, 0)}, {(0, 0)})


@pytest.mark.parametrize(
    ("text", "first", "words"),
    [
        ("", 0, "no links"),
        (" \n", 0, "no links"),
        ("3-0", 0, "source word 3, and the source has words 0 to 2"),
        ("0-4", 0, "counted from 1"),
        ("0-0", 1, "counted from 0"),
        ("9-9", 1, "words 1 to 3"),
        ("a-b", 0, "“a-b” is no link"),
        ("0-0 1:2", 0, "“1:2” is no link"),
        ("-1-0", 0, "“-1-0” is no link"),
        ("1.5-0", 0, "is no link"),
        ("NULL ({ 3 }) the ({ 1 })", 0, "“NULL” is no link"),
        ("0-0-S", 0, "is no link"),
        ("０-０", 0, "is no link"),
        ("<script>alert(1)</script>", 0, "is no link"),
        ("0-" + "9" * 5000, 0, "is no link"),
        ("0-999999999", 0, "target word 999999999"),
        ("0-0 " * 100_000, 0, f"at most {MOST_LINKS:,}"),
        ("0-0", 2, "from 0 or from 1"),
    ],
)
def test_anything_else_is_told_in_one_sentence(text: str, first: int, words: str) -> None:
    with refused(words):
        parse_links(text, SOURCE, TARGET, first)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40), st.integers(0, 1))
def test_any_text_gives_links_between_the_words_or_one_sentence(text: str, first: int) -> None:
    sure, possible, refusal = set(), set(), ""
    try:
        sure, possible = parse_links(text, SOURCE, TARGET, first)
    except HeadlightError as error:
        refusal = str(error)
    assert possible or is_one_sentence(refusal)
    assert sure <= possible
    assert all(0 <= target < 4 and 0 <= source < 3 for target, source in possible)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1), st.integers(0, 1))
def test_links_that_are_written_down_are_read_again(links: set[tuple[int, int]], first: int) -> None:
    text = " ".join(f"{source + first}-{target + first}" for target, source in links)
    assert parse_links(text, SOURCE, TARGET, first) == (links, links)
