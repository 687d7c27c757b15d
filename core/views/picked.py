"""What a person picked, in one exact sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from core.heads import axis_of
from core.text import shortened
from core.views.shown import is_part, map_of, window_of
from core.views.slices import cols_of, rows_of

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Axis
    from core.views.view import View

STRONGEST = 3
# Characters of a token in a sentence.
LONGEST = 40
# Digits that tell any two float32 numbers apart.
DIGITS = 9


def picked_line(trace: Trace, view: View, query: int | None, key: int | None) -> str | None:
    """The exact weight of one cell, or the largest weights of one query or on one key; None where nothing is picked.

    query, key: token positions. Labels stand in it letter for letter, long ones cut: it must not be read as Markdown or
    HTML.
    """
    if query is None and key is None:
        return None
    rows, cols = (axis_of(trace, view.stream, side, view.filters) for side in ("queries", "keys"))
    row, col = (None if at is None else axis.index_of(at) for axis, at in ((rows, query), (cols, key)))
    for name, at, entry in (("Query", query, row), ("Key", key, col)):
        if at is not None and entry is None:
            return f"{name} {at} is a special token and left out."
    if row is not None and col is not None:
        return _cell(trace, view, rows, cols, row, col)
    if row is not None:
        return f"{_named('Query', rows, row)} attends most to {_strongest(_row(trace, view, row), 'key', cols)}."
    assert col is not None
    weights = _column(trace, view, col)
    return f"{_named('Key', cols, col)} is attended to most by {_strongest(weights, 'query', rows)}."


def _cell(trace: Trace, view: View, rows: Axis, cols: Axis, row: int, col: int) -> str:
    """One cell: where the heatmap shows it, the heatmap's number, as matrix products of other sizes round otherwise."""
    window = window_of(trace, view)
    at = row - window[0].indices(len(rows))[0], col - window[1].indices(len(cols))[0]
    inside = 0 <= at[0] < len(rows[window[0]]) and 0 <= at[1] < len(cols[window[1]])
    if not inside:
        window, at = (slice(row, row + 1), slice(col, col + 1)), (0, 0)
    shown = map_of(trace, view, *window)
    if bool(shown.masked[at]):
        return f"{_named('Query', rows, row)} could not attend to {_named('key', cols, col)}."
    weight = float(shown.weights[0][at])
    mean = "" if view.head is not None else ", the mean over the heads"
    return f"{_named('Query', rows, row)} → {_named('key', cols, col)}: weight {weight:.{DIGITS}g}{mean}."


def _row(trace: Trace, view: View, row: int) -> torch.Tensor:
    """The weights of one query: (cols,)."""
    if is_part(window_of(trace, view)):
        return rows_of(trace, view, slice(row, row + 1))[0][0]
    return map_of(trace, view).weights[0, row]


def _column(trace: Trace, view: View, col: int) -> torch.Tensor:
    """The weights on one key: (rows,)."""
    if is_part(window_of(trace, view)):
        return cols_of(trace, view, slice(col, col + 1))[0][:, 0]
    return map_of(trace, view).weights[0, :, col]


def _named(side: str, axis: Axis, entry: int) -> str:
    return f"{side} {axis.places[entry]} “{shortened(axis.labels[entry], LONGEST)}”"


def _strongest(weights: torch.Tensor, side: str, axis: Axis) -> str:
    """The entries of largest weight with their weights; weights: (entries,)."""
    largest, entries = torch.topk(weights, min(STRONGEST, len(weights)))
    found = [
        f"{_named(side, axis, entry)} ({weight:.{DIGITS}g})"
        for weight, entry in zip(largest.tolist(), entries.tolist(), strict=True)
        if weight > 0
    ]
    return ", ".join(found) if found else "nothing"
