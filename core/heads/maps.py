"""The maps of one layer as they are shown: any heads, any window, merged to words or without special tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from core.capture import Trace
from core.capture.kept import EVERYTHING
from core.heads.axes import Axis
from core.heads.filtering import read, sides_of
from core.heads.filters import EVERY_TOKEN, Filters


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention weights between the entries of two axes.

    weights    float32 (heads, rows, cols) on the CPU; 0 where masked
    masked     bool (rows, cols): cells that the model could not attend to
    left_out   float32 (heads, rows): what the model's own row gives to columns that are hidden; 0 where none are
    heads      the heads of the weights, or those that they are the mean of
    averaged   whether the weights are the mean over the heads, and `weights` holds one map
    """

    weights: Tensor
    masked: Tensor
    left_out: Tensor
    heads: tuple[int, ...]
    averaged: bool
    rows: Axis
    cols: Axis

    def __post_init__(self) -> None:
        maps, rows, cols = 1 if self.averaged else len(self.heads), len(self.rows), len(self.cols)
        shapes = tuple(tuple(tensor.shape) for tensor in (self.weights, self.masked, self.left_out))
        if shapes != ((maps, rows, cols), (rows, cols), (maps, rows)):
            raise ValueError(f"shapes {shapes} do not fit {maps} maps of {rows} rows and {cols} columns")

    def mean(self) -> AttentionMap:
        """The mean over the heads, as one map."""
        weights, left_out = self.weights.mean(0, keepdim=True), self.left_out.mean(0, keepdim=True)
        return replace(self, weights=weights, left_out=left_out, averaged=True)


def attention_map(
    trace: Trace,
    stream: str,
    layer: int,
    heads: Sequence[int] | None = None,
    filters: Filters = EVERY_TOKEN,
    rows: slice = EVERYTHING,
    cols: slice = EVERYTHING,
) -> AttentionMap:
    """The maps of some heads of a layer, or of all when None.

    rows, cols: slices of step 1 over the entries that the filters leave. Costs the rows of the window over all keys.
    Raises HeadlightError where the filters leave nothing, ValueError for a window with nothing in it.
    """
    sides = sides_of(trace, stream, filters)
    chosen = tuple(range(len(trace.groups(layer, stream))) if heads is None else heads)
    weights, masked, left_out = read(trace, stream, layer, heads, sides, rows, cols)
    return AttentionMap(weights, masked, left_out, chosen, False, sides.rows[rows], sides.cols[cols])
