"""How far the maps of a moved text are from the original's maps, moved in the same way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.capture import Trace
from core.jobs import Job

# Rows that are compared at a time hold about this many cells (4 MB of float32).
CELLS = 2**20
# Streams whose rows are the tokens of the text, as their columns are.
TEXT_STREAMS = ("self", "encoder")
# Units of rounding a layer, as `core.capture.trace.check_of` allows for A·V = O.
UNITS, UNITS_OF_HALF = 64, 4


def rearranged(maps: Tensor, places: Sequence[int], stream: str) -> Tensor:
    """P A Pᵀ, or A Pᵀ where the rows are no tokens of the text: (heads, T, T) -> (heads, T, T)."""
    order = torch.tensor(places)
    return (maps[:, order] if stream in TEXT_STREAMS else maps)[:, :, order]


def map_difference(before: Trace, after: Trace, places: Sequence[int], stream: str, job: Job | None = None) -> float:
    """max |A(Px) - P A(x) Pᵀ| over all layers and heads of a stream: 0 to 1.

    NaN where rows of the two maps stand for different words, as of two translations. Maps of one head at a time are in
    memory. job: told before each layer.
    """
    if before.queries(stream).ids != after.queries(stream).ids and stream not in TEXT_STREAMS:
        return math.nan
    layers, largest = before.layers(stream), 0.0
    for layer in range(layers):
        if job is not None:
            job.advance(layer, layers, f"comparing layer {layer}")
        for head in range(len(before.groups(layer, stream))):
            largest = max(largest, _difference(before, after, places, stream, layer, head))
    return largest


def rounding_of(dtype: torch.dtype, layers: int) -> float:
    """What rounding alone may make of `map_difference` after so many layers of a model in a number format."""
    return (UNITS if dtype in (torch.float32, torch.float64) else UNITS_OF_HALF) * torch.finfo(dtype).eps * layers


def _difference(before: Trace, after: Trace, places: Sequence[int], stream: str, layer: int, head: int) -> float:
    columns = torch.tensor(places)
    rows = columns if stream in TEXT_STREAMS else torch.arange(len(before.queries(stream)))
    original = before.attention(layer, [head], stream)[0]  # (T, S)
    moved = after.attention(layer, [head], stream)[0]
    step = max(1, CELLS // len(columns))
    blocks = range(0, len(rows), step)
    return max(float((moved[at : at + step] - original[rows[at : at + step]][:, columns]).abs().max()) for at in blocks)
