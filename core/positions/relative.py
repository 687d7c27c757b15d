"""A learned number for each head and bucket of distances, added to the scores (T5: Raffel and others 2020, 2.1)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.positions.effects import held
from core.positions.encoding import Encoding, distances
from core.positions.objects import Buckets, ByDistance, Formula
from core.positions.settings import Settings

BUCKETS = 32
FARTHEST = 128

FORMULA = Formula(
    r"e_{ij} = q_i \cdot k_j + b_h\big[\beta(j - i)\big], \qquad "
    r"\beta(-n) = \begin{cases} n & n < B/2 \\ "
    r"\min\Big(B - 1,\ \frac{B}{2} + \Big\lfloor \frac{B}{2} \cdot "
    r"\frac{\ln(2n/B)}{\ln(2N/B)} \Big\rfloor\Big) & n \ge B/2 \end{cases}",
    (
        (
            "e_{ij}",
            "score of query i for key j, before softmax; T5 does not divide the product by the root of the head's "
            "width, models trained here do unless they are told not to",
        ),
        (r"q_i,\ k_j", "query of token i and key of token j, from the tokens alone"),
        ("b_h", "learned numbers of head h, one a bucket, shared by all layers of a stack"),
        (r"\beta(j - i)", "bucket of the offset, key minus query"),
        ("n", "distance of a key before the query"),
        (
            "B",
            "buckets of one direction: all where a mask is causal; else half, and keys after the query have the other "
            "half, with the same bounds",
        ),
        ("N", "distance from which all share the last bucket at the latest, 128 in the paper"),
    ),
    'Raffel and others 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", '
    "section 2.1, and their code",
)


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


def starts(causal: bool, count: int = BUCKETS, farthest: int = FARTHEST) -> tuple[int, ...]:
    """The smallest distance of each bucket that keys up to the query read, rising.

    Raises HeadlightError for fewer buckets than a direction needs, and where they do not reach `farthest`.
    """
    directions = 1 if causal else 2
    if count < 2 * directions:
        raise HeadlightError(f"{count:,} buckets are too few: choose at least {2 * directions}.")
    if farthest <= (exact := count // directions // 2):
        raise HeadlightError(
            f"The first {exact:,} distances have a bucket each, so {count:,} buckets cannot end at distance "
            f"{farthest:,}: choose fewer buckets, or a farthest distance above {exact:,}."
        )
    numbers = buckets(-torch.arange(farthest + 1), causal, count, farthest)  # (farthest + 1,)
    changes = (numbers[1:] != numbers[:-1]).nonzero()[:, 0] + 1
    return (0, *changes.tolist())


def thing(settings: Settings) -> Buckets:
    """The bucket of each offset. Raises HeadlightError where `starts` does."""
    count, last = settings.buckets, settings.farthest
    begins = starts(settings.causal, count, last)
    offsets = torch.arange(1 - settings.length, settings.length)
    return Buckets(buckets(offsets, settings.causal, count, last), begins, count, settings.causal)


def by_distance(settings: Settings) -> ByDistance:
    """The bucket of each offset, as far as the length reaches."""
    return held(thing(settings), settings.length - 1)


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
