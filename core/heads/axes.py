"""The sides of a map: what each row and column stands for after the filters, and which of them are looked at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from core.capture import Trace
from core.capture.kept import EVERYTHING
from core.errors import HeadlightError
from core.heads.filters import EVERY_TOKEN, Filters
from core.text import Tokens

# Above so many entries on a side, a map is shown as an overview and a window.
LONG = 1024
# Entries along a side of a window.
WINDOW = 512


@dataclass(frozen=True)
class Axis:
    """The entries along one side of a map, after the filters: tokens, or words.

    labels      the user's own characters
    kinds       how a view marks each label: "special", "unknown" or ""
    places      position of each entry's first token in what the model read
    sequences   0 for the text, 1 for its pair, None for special tokens
    words       whether entries are words
    sizes       tokens that each entry stands for: those from its place on
    """

    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    places: tuple[int, ...]
    sequences: tuple[int | None, ...]
    words: bool
    sizes: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, part: slice) -> Axis:
        """The entries of a slice of step 1."""
        return Axis(
            self.labels[part], self.kinds[part], self.places[part], self.sequences[part], self.words, self.sizes[part]
        )

    def index_of(self, place: int) -> int | None:
        """The entry that holds the token at a position; None for one that is left out or not there."""
        entry = bisect_right(self.places, place) - 1
        return entry if entry >= 0 and place < self.places[entry] + self.sizes[entry] else None


def axis_of(trace: Trace, stream: str, side: str, filters: Filters = EVERY_TOKEN) -> Axis:
    """All entries of one side of a stream's maps. side: "queries" or "keys".

    Raises HeadlightError where nothing is left to show, ValueError for another side.
    """
    if side not in ("queries", "keys"):
        raise ValueError(f"a side is “queries” or “keys”, not {side!r}")
    return axis_of_tokens(trace.queries(stream) if side == "queries" else trace.keys(stream), filters)


def axis_of_tokens(tokens: Tokens, filters: Filters = EVERY_TOKEN) -> Axis:
    """The entries that tokens become; see `axis_of`."""
    units = tokens.merged() if filters.words else None
    shown = tokens if units is None else units
    kept = [i for i, special in enumerate(shown.special) if not (special and filters.hides)]
    if not kept:
        raise HeadlightError("Only special tokens were read, so hiding them leaves nothing: show special tokens.")
    kinds = shown.kinds
    members = [(i,) for i in range(len(tokens))] if units is None else units.members
    return Axis(
        labels=tuple(shown.labels[i] for i in kept),
        kinds=tuple(kinds[i] for i in kept),
        places=tuple(members[i][0] for i in kept),
        sequences=tuple(shown.sequences[i] for i in kept),
        words=filters.words,
        sizes=tuple(len(members[i]) for i in kept),
    )


def is_long(trace: Trace, stream: str, filters: Filters = EVERY_TOKEN) -> bool:
    """Whether a side has more than LONG entries, so that a map is shown as an overview and a window."""
    return any(len(axis) > LONG for axis in _sides(trace, stream, filters) if axis is not None)


def window_at(trace: Trace, stream: str, filters: Filters, row: int, col: int) -> tuple[slice, slice]:
    """Slices over the rows and columns that start with the entries that hold the tokens at positions `row` and `col`.

    WINDOW entries along a side of more than LONG, moved back where they would reach beyond the end; all others.
    """
    rows, cols = _sides(trace, stream, filters)
    return _window(rows, row), _window(cols, col)


def _sides(trace: Trace, stream: str, filters: Filters) -> tuple[Axis | None, Axis | None]:
    """The axes of the rows and columns; None where the tokens are few enough, however they are filtered."""
    queries, keys = trace.queries(stream), trace.keys(stream)
    rows = axis_of_tokens(queries, filters) if len(queries) > LONG else None
    if keys is queries:
        return rows, rows
    return rows, axis_of_tokens(keys, filters) if len(keys) > LONG else None


def _window(axis: Axis | None, place: int) -> slice:
    if axis is None or len(axis) <= LONG:
        return EVERYTHING
    entry = axis.index_of(place)
    # A token that is left out stands for the next one that is not.
    start = min(bisect_right(axis.places, place) if entry is None else entry, len(axis) - WINDOW)
    return slice(start, start + WINDOW)
