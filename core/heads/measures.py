"""Measures of one layer's heads, each beside what uniform attention over the same cells would give."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Measures:
    """Means over the queries; every tensor is float32, (heads,) except the uniform ones, which are single numbers.

    entropy             -Σ w ln w of a row, in nats: 0 when all weight is on one key
    distance            Σ w |query - key| of a row, in tokens
    first               weight of the first key: where a head puts what it does not need elsewhere (an attention sink)
    uniform_entropy     entropy of a row that spreads its weight evenly over the keys it may attend to
    uniform_distance    distance of such a row
    uniform_first       weight of the first key in such a row
    """

    entropy: Tensor
    distance: Tensor
    first: Tensor
    uniform_entropy: float
    uniform_distance: float
    uniform_first: float


def measure(attention: Tensor, masked: Tensor, same_tokens: bool = True) -> Measures:
    """Measure the heads of one layer.

    attention: (heads, queries, keys); masked: bool (queries, keys), True where a query could not attend.
    same_tokens: whether queries and keys are the same tokens; between two texts a distance means nothing and is NaN.
    Rows that could attend to nothing are left out of every mean.
    """
    alive = ~masked.all(dim=-1)  # (queries,)
    weights, visible = attention[:, alive], (~masked[alive]).float()
    uniform = visible / visible.sum(dim=-1, keepdim=True)
    gaps = _gaps(*masked.shape)[alive] if same_tokens else torch.full_like(visible, torch.nan)
    return Measures(
        entropy=_entropy(weights).mean(dim=-1),
        distance=(weights * gaps).sum(dim=-1).mean(dim=-1),
        first=weights[..., 0].mean(dim=-1),
        uniform_entropy=float(_entropy(uniform).mean()),
        uniform_distance=float((uniform * gaps).sum(dim=-1).mean()),
        uniform_first=float(uniform[:, 0].mean()),
    )


def _entropy(weights: Tensor) -> Tensor:
    return torch.special.entr(weights).sum(dim=-1)


def _gaps(queries: int, keys: int) -> Tensor:
    """|query - key|, (queries, keys)."""
    return (torch.arange(queries)[:, None] - torch.arange(keys)[None, :]).abs().float()
