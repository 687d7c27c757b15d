"""Alignment accuracy on tasks whose gold links are known."""

from __future__ import annotations

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
