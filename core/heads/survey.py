"""One pass over every layer of a trace: the measures of each head and a thumbnail of its map."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.capture import Trace
from core.heads.blocks import factor_of, head_groups, row_blocks
from core.heads.filtering import Sides, read, sides_of
from core.heads.filters import EVERY_TOKEN, Filters
from core.heads.measures import Measures, Tally
from core.heads.pooling import pooled
from core.jobs import Job

# A picture of all heads stays below this many cells, whatever the model's size and the text's length.
MAX_CELLS = 880_000
MAX_TILE = 64
ALL_COLUMNS = slice(None)


@dataclass(frozen=True)
class Survey:
    """All heads of one stream at a glance.

    stream      the stream that was surveyed
    filters     what the tiles leave out; measures are those of all tokens, whatever is left out
    tiles       float32 (layers, heads, rows, columns): the largest weight in each cell; NaN where all is masked
    factor      entries a cell stands for, along each side; 1 means that the tiles hold the weights themselves
    measures    one entry a layer
    """

    stream: str
    filters: Filters
    tiles: Tensor
    factor: int
    measures: tuple[Measures, ...]

    @property
    def top(self) -> float:
        """The largest weight of all tiles; 0 where all is masked."""
        return float(self.tiles.nan_to_num(0).max())

    @property
    def nbytes(self) -> int:
        return self.tiles.nbytes


def survey(trace: Trace, stream: str, job: Job | None = None) -> Survey:
    """Look at every head of a stream once, one block of rows in memory at a time. job: told after each block."""
    same_tokens = stream not in ("cross", "pooling")
    special = trace.keys(stream).special
    tallies = [Tally(_heads(trace, stream, layer), same_tokens, special) for layer in range(trace.layers(stream))]
    sides = sides_of(trace, stream, EVERY_TOKEN)
    tiles = _Tiles(trace, stream, sides)
    for piece in _pieces(trace, stream, sides, tiles.factor, job):
        tiles.add(piece)
        if piece.heads.start == 0:
            tallies[piece.layer].add_rows(piece.masked, piece.rows.start)
        tallies[piece.layer].add(piece.weights, piece.heads, piece.rows.start)
    return Survey(stream, EVERY_TOKEN, tiles.cells, tiles.factor, tuple(tally.measures() for tally in tallies))


def retiled(trace: Trace, survey: Survey, filters: Filters, job: Job | None = None) -> Survey:
    """The survey with tiles under other filters; its measures stay those of all tokens.

    job: told after each block. Raises HeadlightError where the filters leave nothing.
    """
    if filters == survey.filters:
        return survey
    sides = sides_of(trace, survey.stream, filters)
    tiles = _Tiles(trace, survey.stream, sides)
    for piece in _pieces(trace, survey.stream, sides, tiles.factor, job):
        tiles.add(piece)
    return replace(survey, filters=filters, tiles=tiles.cells, factor=tiles.factor)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A block of rows of some heads of a layer: weights (heads, rows, columns), masked (rows, columns)."""

    layer: int
    heads: range
    rows: slice
    weights: Tensor
    masked: Tensor


class _Tiles:
    """Thumbnails that pieces are drawn into; masked where nothing was drawn, as in a layer that lacks heads."""

    def __init__(self, trace: Trace, stream: str, sides: Sides) -> None:
        layers, heads, rows, cols = trace.layers(stream), trace.heads(stream), len(sides.rows), len(sides.cols)
        side = max(1, min(MAX_TILE, math.isqrt(MAX_CELLS // (layers * heads))))
        self.factor = factor_of(rows, cols, side)
        self.cells = torch.full((layers, heads, -(-rows // self.factor), -(-cols // self.factor)), torch.nan)

    def add(self, piece: _Piece) -> None:
        """Of two pieces in one row of cells the larger weight stays."""
        rows = slice(piece.rows.start // self.factor, -(-piece.rows.stop // self.factor))
        cells = self.cells[piece.layer, piece.heads.start : piece.heads.stop, rows]
        torch.fmax(cells, pooled(piece.weights, piece.masked, self.factor), out=cells)


def _pieces(trace: Trace, stream: str, sides: Sides, factor: int, job: Job | None) -> Iterator[_Piece]:
    layers, cols = trace.layers(stream), len(sides.cols)
    counts = [_heads(trace, stream, layer) for layer in range(layers)]
    by_layer = [
        [(rows, heads) for rows in row_blocks(len(sides.rows), cols, count, factor) for heads in groups]
        for count in counts
        if (groups := head_groups(count, cols, factor))
    ]
    done, total = 0, sum(map(len, by_layer))
    for layer, asked in enumerate(by_layer):
        for rows, heads in asked:
            # All heads are asked for as such, which copies nothing.
            chosen = None if len(heads) == counts[layer] else list(heads)
            weights, masked, _ = read(trace, stream, layer, chosen, sides, rows, ALL_COLUMNS)
            yield _Piece(layer, heads, rows, weights, masked)
            done += 1
            if job is not None:
                job.advance(done, total, f"drawing layer {layer}")


def _heads(trace: Trace, stream: str, layer: int) -> int:
    return len(trace.groups(layer, stream))
