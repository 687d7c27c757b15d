import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.alignment import align, spans_from
from tests.text.strategies import TEXTS


def places(spelled: str, text: str) -> list[int | None]:
    return [span and span[0] for span in align(spelled, text)]


@pytest.mark.parametrize(
    ("spelled", "text", "expected"),
    [
        ("cat", "cat", [0, 1, 2]),
        ("the cat", "The\u00a0 Café"[:9], [0, 1, 2, 3, 5, 6, None]),
        ("fine", "ﬁne", [0, 0, 1, 2]),
        ("é", "e\u0301", [0]),
        ("cafe x", "café\tx", [0, 1, 2, 3, 4, 5]),
        ("ab", "a\x1bb", [0, 2]),
        ("axyb", "ab", [0, None, None, 1]),
        # The first of two that look alike, though a control lies between its letters and the next.
        ("ÌÌI", "\ufffdÌ\x1bÌI", [1, 3, 4]),
        ("aab", "xa\x1bab", [1, 3, 4]),
        ("", "ab", []),
        ("ab", "", [None, None]),
    ],
)
def test_known_places(spelled: str, text: str, expected: list[int | None]) -> None:
    assert places(spelled, text) == expected


@given(TEXTS, TEXTS)
def test_places_are_in_the_text_and_never_go_back(spelled: str, text: str) -> None:
    found = [span for span in align(spelled, text) if span]
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert [start for start, _ in found] == sorted(start for start, _ in found)


@given(st.text("abc ", min_size=1), st.lists(st.integers(0, 20), max_size=4))
def test_a_text_is_found_in_itself_with_dropped_controls(text: str, where: list[int]) -> None:
    given = list(text)
    for place in where:
        given.insert(place, "\x1b")
    kept = [i for i, character in enumerate(given) if character != "\x1b"]
    found = places(text, "".join(given))
    letters = [(f, k) for f, k, c in zip(found, kept, text, strict=True) if c != " "]
    assert all(f == k for f, k in letters)


def test_an_unknown_word_fills_what_its_neighbours_leave() -> None:
    text = "the Zürich cat"
    assert spans_from("the cat", [(0, 3), (3, 3), (4, 7)], text) == [(0, 3), (4, 10), (11, 14)]
    assert spans_from("the", [(0, 3), (3, 3)], text) == [(0, 3), (3, 3)]
    assert spans_from("cat", [(0, 0), (0, 0), (0, 3)], text) == [(0, 0), (0, 0), (11, 14)]
