import pytest

from core.capture.kept import EVERYTHING
from core.heads import LONG, WINDOW, Axis, Filters, axis_of, is_long, window_at
from tests.heads.hand_made import nothing_masked, random_trace, random_weights, stored_trace, tokens_of
from tests.sentences import refused

# [S] b cd [S] e [S]
WORDS = [None, 0, 1, 1, None, 2, None]


def axis(filters: Filters, words: list[int | None] = WORDS) -> Axis:
    tokens = tokens_of(words)
    masked = nothing_masked(len(words))
    return axis_of(stored_trace(random_weights(1, masked), masked, tokens), "self", "keys", filters)


def test_every_token_is_an_entry_by_itself() -> None:
    found = axis(Filters())
    assert found.labels == ("[S]", "b", "c", "d", "[S]", "f", "[S]")
    assert found.kinds == ("special", "", "", "", "special", "", "special")
    assert found.places == tuple(range(7))
    assert found.sequences == (None, 0, 0, 0, None, 0, None)
    assert found.sizes == (1,) * 7
    assert not found.words


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_hidden_entries_leave_their_positions_behind(special: str) -> None:
    found = axis(Filters(special=special))
    assert found.labels == ("b", "c", "d", "f")
    assert found.places == (1, 2, 3, 5)
    assert [found.index_of(place) for place in range(8)] == [None, 0, 1, 2, None, 3, None, None]


def test_a_word_starts_at_its_first_token_and_holds_them_all() -> None:
    found = axis(Filters(words=True))
    assert found.labels == ("[S]", "b", "cd", "[S]", "f", "[S]")
    assert (found.places, found.sizes) == ((0, 1, 2, 4, 5, 6), (1, 1, 2, 1, 1, 1))
    assert [found.index_of(place) for place in range(-1, 8)] == [None, 0, 1, 2, 2, 3, 4, 5, None]
    both = axis(Filters(words=True, special="hide"))
    assert (both.labels, both.places) == (("b", "cd", "f"), (1, 2, 5))
    assert both.words


def test_a_part_of_an_axis_keeps_its_positions() -> None:
    part = axis(Filters(words=True, special="hide"))[1:]
    assert (len(part), part.labels, part.places, part.sizes) == (2, ("cd", "f"), (2, 5), (2, 1))
    assert part.index_of(3) == 0
    assert part.index_of(1) is None


def test_nothing_left_is_said_in_one_sentence() -> None:
    with refused("Only special tokens were read"):
        axis(Filters(special="hide"), [None, None])
    assert len(axis(Filters(words=True), [None, None])) == 2


def test_an_unknown_filter_or_side_is_refused() -> None:
    with refused("show, hide, renormalise, not 'drop'"):
        Filters(special="drop")
    with pytest.raises(ValueError, match="not 'rows'"):
        axis_of(random_trace(3), "self", "rows")


@pytest.mark.parametrize(
    ("n", "filters", "long"),
    [
        (LONG, Filters(), False),
        (LONG + 1, Filters(), True),
        (LONG + 2, Filters(special="hide"), False),
        (LONG + 3, Filters(special="hide"), True),
        (2 * LONG - 2, Filters(words=True), False),
        (2 * LONG, Filters(words=True), True),
    ],
)
def test_a_map_is_long_by_what_is_left_of_it(n: int, filters: Filters, long: bool) -> None:
    trace = random_trace(n)
    assert is_long(trace, "self", filters) is long
    rows, cols = window_at(trace, "self", filters, 5, 9)
    assert (rows == EVERYTHING) is (cols == EVERYTHING) is not long


@pytest.mark.parametrize("filters", [Filters(), Filters(words=True), Filters(words=True, special="hide")])
@pytest.mark.parametrize(("row", "col"), [(0, 0), (7, 1200), (-3, 2999), (3100, 1), (1489, 2489)])
def test_a_window_is_full_and_holds_the_token_that_was_asked_for(filters: Filters, row: int, col: int) -> None:
    trace = random_trace(3000, heads=1, width=1)
    shown = axis_of(trace, "self", "queries", filters)
    for part, place in zip(window_at(trace, "self", filters, row, col), (row, col), strict=True):
        assert part.stop - part.start == WINDOW
        assert 0 <= part.start <= part.stop <= len(shown)
        entry = shown.index_of(place)
        if entry is not None:
            assert part.start == min(entry, len(shown) - WINDOW)
    assert window_at(trace, "self", filters, 0, 0)[0].start == 0


def test_only_the_long_side_of_two_texts_gets_a_window() -> None:
    queries, keys = tokens_of([0] * 3), tokens_of([0] * (LONG + 1))
    trace = stored_trace(random_weights(1, nothing_masked(3, LONG + 1)), nothing_masked(3, LONG + 1), queries, keys)
    assert is_long(trace, "cross")
    assert window_at(trace, "cross", Filters(), 1, 700) == (EVERYTHING, slice(LONG + 1 - WINDOW, LONG + 1))
