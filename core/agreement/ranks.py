"""How far two methods order the words of one text alike. Agreement is agreement: it does not say that either is right.

Only words are compared: two special tokens on top of both orders would give a tau of .30 to two methods of ten words
that have nothing in common (methods.md 7.2).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.agreement.chance import chance_sd, critical_tau
from core.agreement.columns import Array, Column, column_of
from core.saliency.scores import Scores

SHARE_OF_TOP = 0.2
TOP = 3
# Scores come from float32: where they differ by less of the largest, rounding has made the difference.
EQUAL = 8 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Overlap:
    """Of the k words that each puts first: the share that both do, and the same corrected for chance.

    kappa: 1 for the same words, 0 for what chance gives (k / n); NaN where k = n.
    """

    k: int
    overlap: float
    kappa: float


@dataclass(frozen=True)
class Agreement:
    """Two methods' agreement on the n words of one text.

    tau         Kendall's tau-b; p: two-sided, of no association
    rho         Spearman's, over average ranks; pearson: of the values, which one word may dominate
    top         overlaps by k
    sd0         of tau under independence; band: the smallest |tau| that is significant at .05, NaN where none is
    magnitudes  whether sizes were taken of a method with signs, because the other has none
    reason      why there is no tau, "" where there is one
    """

    tau: float
    p: float
    rho: float
    pearson: float
    top: Mapping[int, Overlap]
    n: int
    sd0: float
    band: float
    magnitudes: bool
    reason: str = ""

    @property
    def significant(self) -> bool:
        """Whether |tau| is rarer than .05 by chance."""
        return not math.isnan(self.band) and abs(self.tau) >= self.band - 1e-12


def agreement(a: Scores | Column, b: Scores | Column) -> Agreement:
    """The agreement of two methods on the same words. Raises ValueError for methods of different texts."""
    first, second = column_of(a), column_of(b)
    if first.labels != second.labels:
        raise ValueError("the two are not scores of the same words")
    magnitudes = first.signed != second.signed
    x, y = (column.sizes if magnitudes else column.values for column in (first, second))
    return compare(x, y, magnitudes)


def compare(x: Array, y: Array, magnitudes: bool = False) -> Agreement:
    """The agreement of two vectors (n,)."""
    n = len(x)
    ks = sorted({min(n, TOP), max(1, round(SHARE_OF_TOP * n))}) if n else []
    reason = _reason(x, y)
    if reason:
        nan = math.nan
        return Agreement(nan, nan, nan, nan, {}, n, chance_sd(n), critical_tau(n), magnitudes, reason)
    with warnings.catch_warnings():
        # SciPy warns where a p-value is asymptotic; n stands beside it.
        warnings.simplefilter("ignore")
        tau = stats.kendalltau(x, y, variant="b")
        rho, pearson = stats.spearmanr(x, y), stats.pearsonr(x, y)
    return Agreement(
        tau=float(tau.statistic),
        p=float(tau.pvalue),
        rho=float(rho.statistic),
        pearson=float(pearson.statistic),
        top={k: overlap(x, y, k) for k in ks},
        n=n,
        sd0=chance_sd(n),
        band=critical_tau(n),
        magnitudes=magnitudes,
    )


def overlap(x: Array, y: Array, k: int) -> Overlap:
    """Of the k largest of each: the share that both have. Ties at the edge count by the chance of being drawn."""
    shared = float((_chance_of_top(x, k) * _chance_of_top(y, k)).sum()) / k
    by_chance = k / len(x)
    kappa = math.nan if by_chance == 1 else (shared - by_chance) / (1 - by_chance)
    return Overlap(k, shared, kappa)


def _chance_of_top(values: Array, k: int) -> Array:
    """For each value the chance that it is among the k largest when ties are drawn at random: (n,), which sums to k."""
    edge = np.sort(values)[-k]
    above, at_edge = values > edge, values == edge
    share = (k - above.sum()) / at_edge.sum()
    return above + share * at_edge


def _reason(x: Array, y: Array) -> str:
    if len(x) < 2:
        return "One word has no order: type more."
    if any(np.ptp(values) <= EQUAL * np.abs(values).max() for values in (x, y)):
        return "All words have the same score in one of the two, so it orders nothing."
    return ""
