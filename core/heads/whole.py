"""All of one long map at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture import Trace
from core.heads.axes import Axis
from core.heads.blocks import factor_of, head_groups, row_blocks
from core.heads.filtering import Sides, read, sides_of
from core.heads.filters import EVERY_TOKEN, Filters
from core.heads.pooling import pooled
from core.jobs import Job

# Cells along a side, at most.
SIDE = 512
ALL_COLUMNS = slice(None)


@dataclass(frozen=True, eq=False)
class WholeMap:
    """The map of one head, or the mean over a layer's heads, made small.

    weights    float32 (rows, cols), at most SIDE each: the largest weight of each block; NaN where all of it is masked
    factor     entries that a cell stands for along each side
    rows, cols all entries, not made small
    """

    weights: Tensor
    factor: int
    rows: Axis
    cols: Axis

    def __post_init__(self) -> None:
        expected = tuple(-(-len(axis) // self.factor) for axis in (self.rows, self.cols))
        if tuple(self.weights.shape) != expected:
            raise ValueError(f"shape {tuple(self.weights.shape)} is not {expected}")


def whole_map(
    trace: Trace,
    stream: str,
    layer: int,
    head: int | None,
    filters: Filters = EVERY_TOKEN,
    job: Job | None = None,
) -> WholeMap:
    """Read a map once, one block of rows in memory at a time. head: None for the mean over the layer's heads.

    job: told after each block. Raises HeadlightError where the filters leave nothing.
    """
    sides = sides_of(trace, stream, filters)
    rows, cols = len(sides.rows), len(sides.cols)
    factor = factor_of(rows, cols, SIDE)
    asked = tuple(range(len(trace.groups(layer, stream)))) if head is None else (head,)
    cells = torch.full((-(-rows // factor), -(-cols // factor)), torch.nan)
    blocks = row_blocks(rows, cols, len(asked), factor)
    for done, block in enumerate(blocks, 1):
        weights, masked = _mean_of(trace, stream, layer, asked, sides, block, factor)
        place = slice(block.start // factor, -(-block.stop // factor))
        cells[place] = torch.fmax(cells[place], pooled(weights, masked, factor))
        if job is not None:
            job.advance(done, len(blocks), f"drawing the whole map, part {done} of {len(blocks)}")
    return WholeMap(cells, factor, sides.rows, sides.cols)


def _mean_of(
    trace: Trace, stream: str, layer: int, heads: tuple[int, ...], sides: Sides, block: slice, factor: int
) -> tuple[Tensor, Tensor]:
    """The mean over heads of a block of rows, (rows, cols), and its masked cells."""
    total, masked = torch.zeros(()), torch.zeros(())
    for group in head_groups(len(heads), len(sides.cols), factor):
        weights, masked, _ = read(trace, stream, layer, [heads[i] for i in group], sides, block, ALL_COLUMNS)
        total = total + weights.sum(0)
    return total / len(heads), masked
