"""A learned vector for each clipped offset, added to the keys (Shaw, Uszkoreit and Vaswani 2018, section 3).

The paper has vectors for keys and for values. In-house models have those for keys only: its table 3 found no gain in
the others, with which a head's output would be more than its weights times its values.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.positions.effects import held
from core.positions.encoding import Encoding, distances
from core.positions.objects import Buckets, ByDistance, Formula
from core.positions.settings import Settings

# Offsets from it on count as one, as in the paper's base model (section 4.1).
CLIP = 16

FORMULA = Formula(
    latex=(
        r"e_{ij} = \frac{q_i \cdot (k_j + a^K_{c(j-i)})}{\sqrt{d}}, \qquad "
        r"z_i = \sum_j A_{ij} \, (v_j + a^V_{c(j-i)}), \qquad c(x) = \max(-K, \min(K, x))"
    ),
    symbols=(
        (r"e_{ij}", "score of key j for query i, before the softmax"),
        (r"q_i,\ k_j,\ v_j", "query at position i; key and value at position j"),
        (r"a^K_c", "learned vector for the clipped offset c, added to the key"),
        (r"d", "width of a head"),
        (r"z_i", "output of the head at position i"),
        (r"A_{ij}", "attention weight, the softmax of the scores over j"),
        (r"a^V_c", "learned vector for the clipped offset c, added to the value; the models trained here have none"),
        (r"c(x)", "the offset, clipped: 2K + 1 values"),
        (r"K", "clip: all keys that are farther away on one side share a vector"),
    ),
    source="Shaw, Uszkoreit and Vaswani 2018, equations 3 and 4",
)


def clipped(offset: Tensor, clip: int = CLIP) -> Tensor:
    """The row of the table for each offset (key minus query position, integers of any shape): 0 up to 2 * clip."""
    return offset.clamp(-clip, clip) + clip


def thing(settings: Settings) -> Buckets:
    """Which of the 2 * clip + 1 vectors each offset reads; the vectors themselves are a model's."""
    farthest = settings.length - 1
    offsets = torch.arange(-farthest, farthest + 1)  # (2R + 1,)
    starts = tuple(range(min(settings.clip, farthest) + 1))
    return Buckets(clipped(offsets, settings.clip), starts, 2 * settings.clip + 1, settings.causal)


def by_distance(settings: Settings) -> ByDistance:
    """The number of the vector at each offset, as far as the length reaches."""
    return held(thing(settings), settings.length - 1)


def bias(query: Tensor, vectors: Tensor, keys: int) -> Tensor:
    """q_i · a_c for all pairs, not scaled: (..., T, W), (2K + 1, W) -> (..., T, S).

    A vector for each pair of tokens, as the formula reads, would be (T, S, W) numbers: here a query meets each of the
    vectors once.
    """
    clip = vectors.shape[0] // 2
    by_offset = query @ vectors.transpose(0, 1)  # (..., T, W) @ (W, 2K + 1) -> (..., T, 2K + 1)
    rows = clipped(distances(query.shape[-2], keys, query.device), clip)  # (T, S)
    return by_offset.gather(-1, rows.expand(*query.shape[:-2], -1, -1))  # (..., T, 2K + 1) -> (..., T, S)


class Shaw(Encoding):
    """One table for all heads and layers of the stack: 2 * CLIP + 1 vectors as wide as a head's keys.

    A causal stack has all of them too, and never reads the last CLIP.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(2 * CLIP + 1, width))  # (2K + 1, W)
        nn.init.xavier_uniform_(self.table)

    def query_bias(self, query: Tensor, keys: int, scale: float) -> Tensor:
        """See `Encoding.query_bias`."""
        return bias(query * scale, self.table.to(query.dtype), keys)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack."""
    return Shaw(width // heads)
