"""The part of a trace that a view shows, and how its two sides are named in a figure's header."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sized
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

import numpy as np

from core.heads import AttentionMap, Axis, attention_map, window_at
from core.text import shortened
from core.views.words import require_head
from core.views.written import written_from

if TYPE_CHECKING:
    from core.capture import Trace
    from core.views.view import View

EVERYTHING = slice(None)
# Up to so many cells a message holds float32; up to about twice as many it would be too large for a quick page.
EXACT_CELLS = 550_000
# Up to so many rows have a name of two tokens, each of at most so many characters.
MOST_NAMED = 64
LONGEST_IN_NAME = 10
NEXT = " → "
LEFT_TO_RIGHT, ISOLATED, END_OF_ISOLATE = "\u2066", "\u2068", "\u2069"


def window_of(trace: Trace, view: View) -> tuple[slice, slice]:
    """The rows and columns that a view shows: everything, unless the map is long."""
    return window_at(trace, view.stream, view.filters, view.row, view.col)


def is_part(window: tuple[slice, slice]) -> bool:
    """Whether a window leaves something out."""
    return window != (EVERYTHING, EVERYTHING)


def map_of(trace: Trace, view: View, rows: slice = EVERYTHING, cols: slice = EVERYTHING) -> AttentionMap:
    """One head, or the mean over the heads: (1, rows, cols). Raises HeadlightError for a head that the layer lacks."""
    require_head(trace, view)
    heads = None if view.head is None else [view.head]
    found = attention_map(trace, view.stream, view.layer, heads, view.filters, rows, cols)
    return found.mean() if view.head is None else found


def axes_header(trace: Trace, stream: str, rows: Axis, cols: Axis) -> dict[str, Any]:
    """The header fields of a figure with a query axis and a key axis."""
    written, names = written_from(trace, stream), row_names(trace, stream, rows)
    return {
        "row_labels": rows.labels,
        **({"row_names": names} if names else {}),
        "row_kinds": rows.kinds,
        "row_places": rows.places,
        "row_breaks": _breaks(rows, written),
        "row_title": "query",
        "col_labels": cols.labels,
        "col_kinds": cols.kinds,
        "col_places": cols.places,
        "col_breaks": _breaks(cols, written),
        "col_title": "key",
    }


def _breaks(axis: Axis, written: int | None) -> list[int]:
    """The entries with which the second text and what the model wrote begin, where what comes before is there too."""
    second = [axis.sequences.index(1)] if {0, 1} <= set(axis.sequences) else []
    begin = 0 if written is None else bisect_left(axis.places, written)
    return sorted({*second, *([begin] if 0 < begin < len(axis) else [])})


def last_places(axis: Axis) -> tuple[int, ...]:
    """The position of the last token of each entry: that of its only token unless entries are words."""
    return tuple(place + size - 1 for place, size in zip(axis.places, axis.sizes, strict=True))


def row_names(trace: Trace, stream: str, rows: Axis) -> tuple[str, ...]:
    """What stands beside the rows of a decoder: the token that was read, and the one that came next, "n → o".

    () where the label alone is to stand there: in other streams, for words, and beside many rows.
    """
    followed = trace.followed(stream)
    if not followed or rows.words or len(rows) > MOST_NAMED:
        return ()
    return tuple(_name(label, followed[place]) for label, place in zip(rows.labels, rows.places, strict=True))


def _name(read: str, following: str | None) -> str:
    if following is None:
        return read
    parts = [shortened(label, LONGEST_IN_NAME) for label in (read, following)]
    if not any(bidirectional(character) in ("R", "AL") for part in parts for character in part):
        return NEXT.join(parts)
    # The arrow points from left to right, whatever the direction of the tokens beside it.
    return LEFT_TO_RIGHT + NEXT.join(f"{ISOLATED}{part}{END_OF_ISOLATE}" for part in parts) + END_OF_ISOLATE


def predictions(trace: Trace, stream: str, rows: Axis) -> tuple[str, ...]:
    """The token that a language model finds most probable after each row; () for other models."""
    predicted = trace.predicted(stream)
    return () if predicted is None else tuple(predicted[i] for i in last_places(rows))


def drawn(weights: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """Weights as a message holds them: NaN where masked, float16 where there are many."""
    dtype = np.float32 if weights.size <= EXACT_CELLS else np.float16
    return np.where(masked, np.nan, weights).astype(dtype)


def figure_header(name: str, title: str, caption: str, stem: str) -> dict[str, str]:
    """What the browser puts around an exported picture."""
    return {"name": name, "title": title, "caption": caption, "stem": stem}


def count_words(count: int, name: str, plural: str | None = None) -> str:
    """ "1 query", "2 queries"."""
    return f"{count:,} {name if count == 1 else plural or name + 's'}"


def entries(rows: Sized, cols: Sized) -> str:
    """The size of a map in words, for a screen reader."""
    return f"{count_words(len(rows), 'query', 'queries')} by {count_words(len(cols), 'key')}"
