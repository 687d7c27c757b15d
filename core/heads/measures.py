"""Measures of one layer's heads, each beside what uniform attention over the same cells would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# The smallest number above 0 that float32 holds in full: the logarithm of a weight of 0, times 0, is 0.
_TINY = torch.finfo(torch.float32).tiny


@dataclass(frozen=True)
class Measures:
    """Means over the queries; tensors are float32, (heads,). `uniform_…` is the same of a row that spreads its weight
    evenly over the keys it may attend to. NaN where a measure means nothing, as a distance between two texts.

    entropy     -Σ w ln w of a row, in nats: 0 when all weight is on one key
    distance    Σ w |query - key| of a row, in tokens
    first       weight of the first key; a head that puts much there, whatever the text, has an attention sink
    previous    weight of the key before the query, over the queries that have one
    next        weight of the key after it, over the queries that have one; 0 where a model looks only back
    special     weight of all special tokens among the keys; 0 where there are none
    own         weight of the query itself
    """

    entropy: Tensor
    distance: Tensor
    first: Tensor
    previous: Tensor
    next: Tensor
    special: Tensor
    own: Tensor
    uniform_entropy: float
    uniform_distance: float
    uniform_first: float
    uniform_previous: float
    uniform_next: float
    uniform_special: float
    uniform_own: float


def measure(attention: Tensor, masked: Tensor, same_tokens: bool = True, special: Sequence[bool] = ()) -> Measures:
    """Measure the heads of one layer.

    attention: float32 (heads, queries, keys), 0 where masked; masked: bool (queries, keys), True where a query could
    not attend.
    same_tokens: whether queries and keys are the same tokens; between two texts distance, previous, next and own mean
    nothing. special: of each key whether it is a special token; none is when left out.
    Rows that could attend to nothing are left out of every mean.
    """
    tally = Tally(attention.shape[0], same_tokens, special)
    tally.add_rows(masked, 0)
    tally.add(attention, range(attention.shape[0]), 0)
    return tally.measures()


class Tally:
    """Measures of a layer that is read in blocks: sums over the rows so far, in float64."""

    def __init__(self, heads: int, same_tokens: bool, special: Sequence[bool]) -> None:
        self._same_tokens = same_tokens
        self._special = [key for key, is_special in enumerate(special) if is_special]
        self._sums = torch.zeros(_COUNT, heads, dtype=torch.float64)
        self._uniform = torch.zeros(_COUNT, 1, dtype=torch.float64)
        self._rows = torch.zeros(_COUNT, dtype=torch.float64)

    def add_rows(self, masked: Tensor, start: int) -> None:
        """What uniform attention gives in rows from `start` on; once a row. masked: bool (rows, keys)."""
        visible = (~masked).float()
        counts = visible.sum(-1, keepdim=True)  # (rows, 1)
        self._uniform += self._sums_of((visible / counts.clamp_min(1))[None], start)
        alive, rows = counts[:, 0] > 0, start + torch.arange(len(masked))
        with_key = {shift: alive & (rows + shift >= 0) & (rows + shift < masked.shape[1]) for shift in _SHIFTS}
        counted = [alive, alive, alive, with_key[-1], with_key[1], alive, with_key[0]]
        self._rows += torch.stack(counted).sum(-1)

    def add(self, attention: Tensor, heads: range, start: int) -> None:
        """attention: (heads, rows, keys) of some heads, rows from `start` on; each head once a row."""
        self._sums[:, heads.start : heads.stop] += self._sums_of(attention, start)

    def measures(self) -> Measures:
        """The means over all rows that were added."""
        means = (self._sums / self._rows[:, None]).float()  # (measures, heads)
        uniform = (self._uniform[:, 0] / self._rows).tolist()
        return Measures(*means, *uniform)

    def _sums_of(self, weights: Tensor, start: int) -> Tensor:
        """Sums over rows, (heads, rows, keys) -> float64 (measures, heads), in the order of `Measures`."""
        beside = {shift: _beside(weights, start, shift) for shift in _SHIFTS} if self._same_tokens else {}
        nothing = torch.full_like(weights[:, :1, 0], torch.nan)
        by_row = [
            _entropy(weights),
            (weights * _gaps(start, *weights.shape[1:])).sum(-1) if self._same_tokens else nothing,
            weights[..., 0],
            beside.get(-1, nothing),
            beside.get(1, nothing),
            weights[..., self._special].sum(-1),
            beside.get(0, nothing),
        ]
        return torch.stack([rows.double().sum(-1) for rows in by_row])


_COUNT = 7
# Where the previous token, the query itself and the next token are.
_SHIFTS = (-1, 0, 1)


def _beside(weights: Tensor, start: int, shift: int) -> Tensor:
    """The weight of the key `shift` after each query, where there is one: (heads, rows, keys) -> (heads, those)."""
    return weights.diagonal(start + shift, dim1=1, dim2=2)


def _entropy(weights: Tensor) -> Tensor:
    """(heads, rows, keys) -> (heads, rows). Twice as fast as torch.special.entr, and the same."""
    return -weights.clamp_min(_TINY).log_().mul_(weights).sum(dim=-1)


def _gaps(start: int, rows: int, keys: int) -> Tensor:
    """|query - key|, (rows, keys), for queries from `start` on."""
    # Whole numbers up to 2^24 are exact in float32, whose differences are much faster than of integers.
    query, key = torch.arange(start, start + rows).float(), torch.arange(keys).float()
    return (query[:, None] - key).abs_()
