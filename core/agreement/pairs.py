"""Every method against every other, and against baselines that look at no model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.agreement.chance import chance_sd, critical_tau
from core.agreement.columns import Array, Column, column_of
from core.agreement.ranks import Agreement, agreement
from core.saliency.scores import Scores


@dataclass(frozen=True, eq=False)
class Matrix:
    """Agreement of M methods and baselines on the n words of one text.

    names, titles  of each, in order; plain: which of them look at no model
    drawn          which of them were drawn at random a second time: on the diagonal, each such with itself from another
                   seed, which no agreement with others can be expected to exceed
    pairs          (M × M) all that is known of each pair
    tau, rho, kappa  (M, M); kappa for the words that each puts first, a fifth of them; NaN with a reason in `pairs`
    magnitudes     (M, M) whether sizes were compared, because one of the two has no signs
    n, sd0, band   number of words, sd of tau under independence, smallest significant |tau| (NaN where none is)
    """

    names: tuple[str, ...]
    titles: tuple[str, ...]
    plain: tuple[bool, ...]
    drawn: tuple[bool, ...]
    pairs: tuple[tuple[Agreement, ...], ...]
    n: int
    sd0: float
    band: float

    @property
    def tau(self) -> Array:
        return self._of(lambda pair: pair.tau)

    @property
    def rho(self) -> Array:
        return self._of(lambda pair: pair.rho)

    @property
    def kappa(self) -> Array:
        return self._of(_kappa)

    @property
    def magnitudes(self) -> Array:
        return self._of(lambda pair: float(pair.magnitudes))

    def _of(self, read: Callable[[Agreement], float]) -> Array:
        return np.array([[read(pair) for pair in row] for row in self.pairs], dtype=np.float64)


def matrix(columns: Sequence[Scores | Column], again: Mapping[str, Scores | Column] = MappingProxyType({})) -> Matrix:
    """The matrix of methods and baselines of one text; again: by name, the scores of those drawn from another seed.

    Raises ValueError for no columns.
    """
    found = [column_of(column) for column in columns]
    if not found:
        raise ValueError("there is no method to compare")
    n = len(found[0].labels)
    upper = {(i, j): agreement(found[i], found[j]) for i in range(len(found)) for j in range(i + 1, len(found))}
    upper |= {(i, i): agreement(column, again.get(column.name, column)) for i, column in enumerate(found)}
    pairs = tuple(tuple(upper[min(i, j), max(i, j)] for j in range(len(found))) for i in range(len(found)))
    return Matrix(
        tuple(column.name for column in found),
        tuple(column.title for column in found),
        tuple(column.plain for column in found),
        tuple(column.name in again for column in found),
        pairs,
        n,
        chance_sd(n),
        critical_tau(n),
    )


def _kappa(pair: Agreement) -> float:
    """Of the k nearest to a fifth of the words."""
    if not pair.top:
        return math.nan
    fifth = max(1, round(0.2 * pair.n))
    return pair.top[min(pair.top, key=lambda k: abs(k - fifth))].kappa
