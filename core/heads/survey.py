"""One pass over every layer of a trace: the measures of each head and a thumbnail of its map."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from core.capture import Trace
from core.heads.measures import Measures, measure
from core.jobs import Job

# A picture of all heads stays below this many cells, whatever the model's size and the text's length.
MAX_CELLS = 900_000
MAX_TILE = 64


@dataclass(frozen=True)
class Survey:
    """All heads of one stream at a glance.

    stream      the stream that was surveyed
    tiles       float32 (layers, heads, rows, columns): the largest weight in each cell; NaN where all is masked
    factor      tokens a cell stands for, along each side; 1 means that the tiles hold the weights themselves
    measures    one entry a layer
    """

    stream: str
    tiles: Tensor
    factor: int
    measures: tuple[Measures, ...]

    @property
    def nbytes(self) -> int:
        return self.tiles.nbytes


def survey(trace: Trace, stream: str, job: Job | None = None) -> Survey:
    """Look at every head of a stream once, one layer in memory at a time."""
    layers, heads = trace.layers(stream), trace.heads(stream)
    factor = _factor(layers * heads, len(trace.queries(stream)), len(trace.keys(stream)))
    tiles, measures = [], []
    for layer in range(layers):
        attention, masked = trace.attention(layer, stream=stream), trace.masked(layer, stream)
        tiles.append(_pad_heads(_pool(attention, masked, factor), heads))
        measures.append(measure(attention, masked, same_tokens=stream not in ("cross", "pooling")))
        if job is not None:
            job.advance(layer + 1, layers, f"drawing layer {layer + 1} of {layers}")
    return Survey(stream, torch.stack(tiles), factor, tuple(measures))


def _factor(maps: int, queries: int, keys: int) -> int:
    side = max(1, min(MAX_TILE, math.isqrt(MAX_CELLS // maps)))
    return math.ceil(max(queries, keys, 1) / side)


def _pool(attention: Tensor, masked: Tensor, factor: int) -> Tensor:
    """(heads, queries, keys) -> (heads, rows, columns): the maximum, so that thin lines survive; NaN if all masked."""
    pooled = F.max_pool2d(attention, factor, ceil_mode=True)
    visible = F.max_pool2d((~masked).float()[None], factor, ceil_mode=True)  # (1, rows, columns)
    return pooled.masked_fill(visible == 0, torch.nan)


def _pad_heads(tiles: Tensor, heads: int) -> Tensor:
    """A layer with fewer heads than the others gets masked tiles in the places of those it lacks."""
    lacking = heads - tiles.shape[0]
    return torch.cat([tiles, tiles.new_full((lacking, *tiles.shape[1:]), torch.nan)]) if lacking else tiles
