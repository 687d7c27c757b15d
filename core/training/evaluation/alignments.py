"""Alignment accuracy and error rate on tasks whose gold links are known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.training.tasks import Pair

# (target place, source place), both counted from 0.
Link = tuple[int, int]


@dataclass(frozen=True)
class LinkScores:
    """Shares between 0 and 1; NaN where there is nothing to divide by.

    precision: predicted links that are possible. recall: sure links that are predicted. error: alignment error rate.
    """

    precision: float
    recall: float
    error: float


def link_scores(sentences: Iterable[tuple[Collection[Link], Collection[Link], Collection[Link]]]) -> LinkScores:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) of Och and Ney (2003), with its precision and recall.

    sentences: predicted links A, sure links S and possible links P of each, S within P; counts are summed over all
    sentences before anything is divided.
    """
    predicted = possible_hits = gold = sure_hits = 0
    for links, sure, possible in sentences:
        found = set(links)
        predicted, gold = predicted + len(found), gold + len(set(sure))
        possible_hits, sure_hits = possible_hits + len(found & set(possible)), sure_hits + len(found & set(sure))
    return LinkScores(
        precision=possible_hits / predicted if predicted else math.nan,
        recall=sure_hits / gold if gold else math.nan,
        error=1 - (sure_hits + possible_hits) / (predicted + gold) if predicted + gold else math.nan,
    )


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
    """The error rate of `link_scores`, over all examples together.

    Predicted links are those from each target character to the source character that it looks at most; one that looks
    most beyond the source's characters has no link, nor has one without gold. Weights as above.
    NaN where there are neither links nor sure ones.
    """
    return link_scores((_links(weights, pair), pair.sure, pair.possible) for weights, pair in examples).error


def _links(weights: NDArray[np.floating], pair: Pair) -> set[Link]:
    looks = weights[: len(pair.target)].argmax(axis=1)  # (T, S) -> (T,)
    rows = {row for row, _ in pair.possible}
    return {(row, int(looks[row])) for row in rows if looks[row] < len(pair.source)}
