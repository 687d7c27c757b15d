"""Alignment accuracy and error rate on tasks whose gold links are known."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.training.tasks import Pair


def alignment_hits(weights: NDArray[np.floating], pair: Pair, offset: int = 0) -> tuple[int, int]:
    """How many target characters look most at a gold source character, and how many have gold at all.

    weights: (T, S), rows are the target's characters in order, columns the source's; rows and columns beyond them,
    such as </s>, may follow: a row that looks most at such a column is a miss. offset: count a look that many places to
    the right of the gold instead (GRU encoders may smear by one place).
    """
    gold: dict[int, set[int]] = {}
    for row, column in pair.possible:
        gold.setdefault(row, set()).add(column + offset)
    looks = weights[: len(pair.target)].argmax(axis=1)  # (T, S) -> (T,)
    return sum(int(looks[row]) in columns for row, columns in gold.items()), len(gold)


def alignment_error_rate(examples: Iterable[tuple[NDArray[np.floating], Pair]]) -> float:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) of Och and Ney (2003), over all examples together.

    S and P are the sure and possible links, A those from each target character to the source character that it looks
    at most; one that looks most beyond the source's characters has no link, nor has one without gold. Weights as above.
    NaN where there are neither links nor sure ones.
    """
    hits = both = 0
    for weights, pair in examples:
        links, sure, possible = _links(weights, pair), set(pair.sure), set(pair.possible)
        hits += len(links & sure) + len(links & possible)
        both += len(links) + len(sure)
    return 1 - hits / both if both else math.nan


def _links(weights: NDArray[np.floating], pair: Pair) -> set[tuple[int, int]]:
    looks = weights[: len(pair.target)].argmax(axis=1)  # (T, S) -> (T,)
    rows = {row for row, _ in pair.possible}
    return {(row, int(looks[row])) for row in rows if looks[row] < len(pair.source)}
