"""A learned number for each head and bucket of distances, added to the scores (T5: Raffel and others 2020, 2.1)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.positions.encoding import Encoding, distances

BUCKETS = 32
FARTHEST = 128


def buckets(distance: Tensor, causal: bool, count: int = BUCKETS, farthest: int = FARTHEST) -> Tensor:
    """The bucket of each distance (key minus query position, integers of any shape): 0 up to count - 1.

    Half of the buckets hold one distance each; the others grow, up to `farthest`, by equal factors. A bidirectional
    stack spends half of all on the keys after the query; a causal one counts those as distance 0, and masks them.
    """
    if causal:
        return _unsigned((-distance).clamp(min=0), count, farthest)
    half = count // 2
    return torch.where(distance > 0, half, 0) + _unsigned(distance.abs(), half, farthest)


def _unsigned(distance: Tensor, count: int, farthest: int) -> Tensor:
    exact = count // 2
    share = torch.log(distance.clamp(min=1).float() / exact) / math.log(farthest / exact)
    grown = (exact + (share * (count - exact)).long()).clamp(max=count - 1)
    return torch.where(distance < exact, distance, grown)


def matrix(length: int, width: int) -> Tensor:
    """The bucket that each query (row) looks each key (column) up in, bidirectional: float32 (length, length)."""
    return buckets(distances(length, length), causal=False).float()


class Relative(Encoding):
    """One table for all layers of the stack, BUCKETS numbers for each head; at first no distance is preferred."""

    def __init__(self, heads: int, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        self.table = nn.Parameter(torch.zeros(BUCKETS, heads))

    def bias(self, queries: int, keys: int, device: torch.device | None = None) -> Tensor:
        """See `Encoding.bias`; the device is the table's."""
        numbers = buckets(distances(queries, keys, self.table.device), self.causal)  # (T, S)
        return self.table[numbers].permute(2, 0, 1)  # (T, S, H) -> (H, T, S)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack."""
    return Relative(heads, causal)
