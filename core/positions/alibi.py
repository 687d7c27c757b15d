"""A penalty proportional to the distance, added to the scores (ALiBi: Press and others 2022, section 3).

The paper shows causal stacks, and encoders need a change, as its first author says
(https://github.com/ofirpress/attention_with_linear_biases/issues/5): ours take off half as much for later keys.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.positions.encoding import Encoding, distances

# Were both sides alike, an encoder would give a text and its reverse the same states, and a decoder could not tell.
AFTER = 0.5


def slopes(heads: int) -> Tensor:
    """What a head takes off its score per token of distance: float32 (H,).

    2^(-8h / H) for h = 1..H where H is a power of two. Elsewhere the slopes of the next smaller power of two, and then
    every second one of the next larger, as in the authors' code.
    """
    power = 2 ** math.floor(math.log2(heads))
    more = _geometric(2 * power)[0::2][: heads - power]
    return torch.cat([_geometric(power), more])


def _geometric(heads: int) -> Tensor:
    return 2.0 ** (-8 / heads * torch.arange(1, heads + 1))  # (H,)


def penalties(queries: int, keys: int, slope: Tensor, after: float = 1.0) -> Tensor:
    """-slope * |i - j|, times `after` for keys behind the query: (H,) -> (H, T, S). A causal stack masks those."""
    distance = distances(queries, keys, slope.device)  # (T, S)
    distance = torch.where(distance > 0, after * distance, -distance)
    return -slope[:, None, None] * distance  # (H, 1, 1) * (T, S) -> (H, T, S)


def matrix(length: int, width: int) -> Tensor:
    """What the first of eight heads (slope 1/2) of a bidirectional stack adds to its scores: (length, length)."""
    return penalties(length, length, slopes(8)[:1], AFTER)[0]


class Alibi(Encoding):
    """Adds the penalties; nothing is learned."""

    def __init__(self, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads = heads
        self.after = 1.0 if causal else AFTER

    def bias(self, queries: int, keys: int, device: torch.device | None = None) -> Tensor:
        """See `Encoding.bias`."""
        return penalties(queries, keys, slopes(self.heads).to(device), self.after)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack."""
    return Alibi(heads, causal)
