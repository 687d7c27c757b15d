"""Sentences with known weights for the figures of alignment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.alignment import judge
from core.capture import NextToken, WordWeights
from core.views import AlignedPanel, Steps

SOURCE = ("the", "black", "cat", "</s>")
OUTPUT = ("le", "chat", "noir", "</s>")
SURE = frozenset({(0, 0), (1, 2), (2, 1)})
POSSIBLE = SURE | {(0, 2)}
GOLDEN = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float32)


def words_of(weights: np.ndarray = GOLDEN, **fields: Any) -> WordWeights:
    """Weights between the words of the sentence, each output word one token."""
    ends = frozenset({3})
    rows = tuple((row,) for row in range(len(weights)))
    return replace(WordWeights(weights.astype(np.float32), OUTPUT, SOURCE, rows, ends, ends), **fields)


def aligned_panel(weights: np.ndarray = GOLDEN, label: str = "gru", gold: bool = True, **fields: Any) -> AlignedPanel:
    """A model's panel, judged by the gold links or not."""
    words = words_of(weights)
    judged = judge(words, SURE, POSSIBLE) if gold else None
    return replace(AlignedPanel(label, "mean over heads", words, "le chat noir", judged), **fields)


def steps_of(weights: np.ndarray | None = GOLDEN, **fields: Any) -> Steps:
    """Four steps of three alternatives; the second token is not the likeliest, the third is none of them."""
    found = [[(1, "le", 0.5), (2, "un", 0.25), (3, "la", 0.125)] for _ in range(4)]
    found[1] = [(5, "chien", 0.6), (4, "chat", 0.3), (6, "rat", 0.05)]
    found[3] = [(0, "</s>", 0.9), (7, "et", 0.05), (8, "ou", 0.02)]
    alternatives = tuple(tuple(NextToken(*each) for each in step) for step in found)
    steps = Steps(
        "gru", "mean over heads", SOURCE, weights, OUTPUT, alternatives, (0.5, 0.3, 0.01, 0.9), ids=(1, 4, 9, 0)
    )
    return replace(steps, **fields)
