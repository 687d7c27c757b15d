"""Some rows and some columns of a map, whatever its length: the weights of a picked token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from core.heads.blocks import row_blocks
from core.heads.filtering import read, sides_of
from core.views.shown import map_of
from core.views.words import head_count

if TYPE_CHECKING:
    from core.capture import Trace
    from core.views.view import View


def rows_of(trace: Trace, view: View, part: slice) -> tuple[Tensor, Tensor]:
    """Weights (rows, all cols) of some rows, and bool of the same shape where masked."""
    shown = map_of(trace, view, part)
    return shown.weights[0], shown.masked


def cols_of(trace: Trace, view: View, part: slice) -> tuple[Tensor, Tensor]:
    """Weights (all rows, cols) of some columns, and bool of the same shape where masked; read in blocks of rows."""
    sides = sides_of(trace, view.stream, view.filters)
    heads = None if view.head is None else [view.head]
    count = head_count(trace, view) if heads is None else 1
    width = len(sides.cols[part])
    weights, masked = torch.empty(len(sides.rows), width), torch.empty(len(sides.rows), width, dtype=torch.bool)
    for block in row_blocks(len(sides.rows), len(sides.keys), count):
        found, unseen, _ = read(trace, view.stream, view.layer, heads, sides, block, part)
        # Copied at once: what was read may be a narrow view that keeps a whole block of rows in memory.
        weights[block], masked[block] = found.mean(0), unseen  # (heads, block, cols) -> (block, cols)
    return weights, masked
