"""Rows of maps with filters applied, read in blocks of tokens: what `attention_map` and thumbnails are made of.

Shapes: H heads, T tokens of a block, S keys, U units of a block (words, or tokens), R rows and C columns of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.capture import Trace
from core.heads.axes import Axis, axis_of_tokens
from core.heads.blocks import row_blocks
from core.heads.filters import Filters
from core.text import Tokens, merge, merge_masked
from core.text.units import starts_of


@dataclass(frozen=True, eq=False)
class Sides:
    """The tokens of a stream's rows and columns, and the entries that the filters make of them.

    row_of    the row of each query token, -1 where it is left out
    sizes     tokens of each row
    columns   of each column its number among the units of the keys, those that are left out counted
    hidden    the key tokens that are left out
    """

    queries: Tokens
    keys: Tokens
    rows: Axis
    cols: Axis
    filters: Filters
    row_of: Tensor
    sizes: Tensor
    columns: Tensor
    hidden: tuple[int, ...]


def sides_of(trace: Trace, stream: str, filters: Filters) -> Sides:
    """Raises HeadlightError where the filters leave nothing of a side."""
    queries, keys = trace.queries(stream), trace.keys(stream)
    rows = axis_of_tokens(queries, filters)
    cols = rows if keys is queries else axis_of_tokens(keys, filters)
    units = starts_of(keys) if filters.words else range(len(keys))
    columns = torch.from_numpy(np.searchsorted(units, cols.places))
    hidden = tuple(i for i, special in enumerate(keys.special) if special and filters.hides)
    return Sides(
        queries, keys, rows, cols, filters, _row_of(rows, len(queries)), torch.tensor(rows.sizes), columns, hidden
    )


def _row_of(rows: Axis, tokens: int) -> Tensor:
    """The row of each token, (T,)."""
    row_of = [-1] * tokens
    for row, (place, size) in enumerate(zip(rows.places, rows.sizes, strict=True)):
        row_of[place : place + size] = [row] * size
    return torch.tensor(row_of)


def read(
    trace: Trace, stream: str, layer: int, heads: Sequence[int] | None, sides: Sides, rows: slice, cols: slice
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights float32 (H, R, C), masked bool (R, C) and left out float32 (H, R) of a window of what is shown.

    rows, cols: slices of step 1 over the entries. Raises ValueError for a window with nothing in it.
    """
    shown, across = sides.rows[rows], sides.cols[cols]
    if not len(shown) or not len(across):
        raise ValueError(f"no rows or no columns: {rows} of {len(sides.rows)}, {cols} of {len(sides.cols)}")
    if not (sides.filters.words or sides.filters.hides):
        asked, over = (slice(axis.places[0], axis.places[-1] + 1) for axis in (shown, across))
        weights = trace.attention(layer, heads, stream, asked, over)
        return weights, trace.masked(layer, stream, asked, over), weights.new_zeros(weights.shape[:2])
    count = len(trace.groups(layer, stream)) if heads is None else len(heads)
    window = _Window(count, sides, rows, cols)
    first, end = shown.places[0], shown.places[-1] + shown.sizes[-1]
    # A word may be longer than a block: its rows are added up over blocks.
    for block in row_blocks(end - first, len(sides.keys), count):
        tokens = slice(first + block.start, first + block.stop)
        window.add(trace.attention(layer, heads, stream, tokens), trace.masked(layer, stream, tokens), tokens)
    return window.weights(), window.masked(), window.left_out


class _Window:
    """What blocks of rows between tokens add up to between the entries of a window."""

    def __init__(self, heads: int, sides: Sides, rows: slice, cols: slice) -> None:
        self._sides = sides
        self._cols = cols
        self._row_of = sides.row_of - range(len(sides.rows))[rows].start  # rows of the window, below 0 where left out
        self._sizes = sides.sizes[rows]
        shown = len(self._sizes)
        across = len(sides.columns[cols])
        self._weights = torch.zeros(heads, shown, across)
        self._visible = torch.zeros(shown, across)
        self._kept = torch.zeros(heads, shown)
        self.left_out = torch.zeros(heads, shown)

    def add(self, attention: Tensor, masked: Tensor, tokens: slice) -> None:
        """attention: (H, T, S), masked: (T, S), of the query tokens of a slice."""
        starts = list(range(len(masked)))
        merged, unseen = attention, masked
        if self._sides.filters.words:
            part = _Part(self._sides.queries.words[tokens])
            starts = starts_of(part)
            merged = merge(attention, part, self._sides.keys)  # (H, T, S) -> (H, U, units)
            unseen = merge_masked(masked, part, self._sides.keys)
        counts = torch.from_numpy(np.diff([*starts, len(masked)]))  # (U,) tokens of each unit in this block
        rows = self._row_of[tokens][starts]  # (U,)
        shown = rows >= 0
        rows = rows[shown]
        share = (counts[shown] / self._sizes[rows])[:, None]  # (U', 1), less than one for a part of a word
        columns = merged[:, shown][..., self._sides.columns] * share  # (H, U, units) -> (H, U', all columns)
        self._weights.index_add_(1, rows, columns[..., self._cols])
        self._visible.index_add_(0, rows, (~unseen[shown][:, self._sides.columns[self._cols]]).float())
        if self._sides.filters.hides:
            self._kept.index_add_(1, rows, columns.sum(-1))
            self._add_left_out(attention[..., self._sides.hidden].sum(-1), tokens)

    def _add_left_out(self, hidden: Tensor, tokens: slice) -> None:
        """hidden: (H, T)."""
        rows = self._row_of[tokens]
        shown = rows >= 0
        self.left_out.index_add_(1, rows[shown], hidden[:, shown] / self._sizes[rows[shown]])

    def weights(self) -> Tensor:
        """(H, R, C)"""
        if self._sides.filters.special != "renormalise":
            return self._weights
        return self._weights / torch.where(self._kept > 0, self._kept, 1)[..., None]

    def masked(self) -> Tensor:
        """(R, C)"""
        return self._visible == 0


@dataclass(frozen=True)
class _Part:
    """The words of some tokens in a row, as `merge` reads them."""

    words: tuple[int | None, ...]
