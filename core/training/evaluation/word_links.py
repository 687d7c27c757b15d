"""Word links out of attention between words, and the diagonal that any aligner must beat."""

from __future__ import annotations

import numpy as np

from core.capture.word_weights import WordWeights
from core.training.evaluation.alignments import Link


def links_between(weights: WordWeights) -> set[Link]:
    """The link of each target word to the source word with most of its weight; none where that is </s> or its like.

    Links are (target place, source place), special tokens not counted.
    """
    rows, columns = (
        _numbers(len(side), ends)
        for side, ends in ((weights.rows, weights.end_rows), (weights.columns, weights.end_columns))
    )
    largest = weights.weights.argmax(axis=1).tolist() if weights.weights.size else []  # (R, C) -> (R,)
    known = np.flatnonzero(~np.isnan(weights.weights).any(axis=1)).tolist()
    return {(rows[row], columns[largest[row]]) for row in known if row in rows and largest[row] in columns}


def diagonal(targets: int, sources: int) -> set[Link]:
    """Each target word linked to the source word at the same share of its sentence."""
    return {(row, (2 * row + 1) * sources // (2 * targets)) for row in range(targets)}


def _numbers(count: int, ends: frozenset[int]) -> dict[int, int]:
    """The number of the word at each place that is no special token."""
    return {place: word for word, place in enumerate(place for place in range(count) if place not in ends)}
