"""What the alignment figures say in words: how rows were read, how many words there are, and how links score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.alignment import Judged
    from core.capture import WordWeights

# How rows of a decoder are put to the words of its output; Chen et al. (2020), Accurate Word Alignment Induction from
# Neural Machine Translation.
READS = {
    "output": "read with output: the row of a word is that of the step that produces it",
    "input": "read with input: the row of a word is that of the step that is fed with it, one later",
}
# How far a row may be from 1 in 16-bit floats and still be said to sum to it.
ROUNDING = 4e-3


def panel_words(about: str, words: WordWeights | None) -> str:
    """Whose weights a panel has, and of how many words and tokens."""
    if words is None:
        return "no attention, so no matrix"
    tokens = len({row for rows in words.row_tokens for row in rows})
    size = f"{len(words.rows)} × {len(words.columns)} words ({tokens} {'token' if tokens == 1 else 'tokens'} of output)"
    return ", ".join(filter(None, [about, size]))


def sums_words(matrices: Sequence[np.ndarray]) -> str:
    """What the weights of a row, the last axis, add up to, in words; "" where there is no row."""
    sums = [matrix.astype(np.float64).sum(axis=-1).ravel() for matrix in matrices if matrix.size]
    if not sums:
        return ""
    every = np.concatenate(sums)
    if np.all(np.abs(every - 1) < ROUNDING):
        return "each row sums to 1"
    return "rows sum to 1 or less" if np.all(every < 1 + ROUNDING) else "rows need not sum to 1"


def judged_words(judged: Judged) -> list[list[str]]:
    """Precision, recall and error of the attention's links, each with its name."""
    score = judged.attention
    return [["precision", _share(score.precision)], ["recall", _share(score.recall)], ["AER", _share(score.error)]]


def verdict_words(judged: Judged) -> str:
    """What links by place alone would score, in one sentence."""
    diagonal = judged.diagonal.error
    if math.isnan(diagonal) or math.isnan(judged.attention.error):
        return ""
    if judged.is_beaten:
        return f"The diagonal, which looks at no word, aligns this pair better: AER {_share(diagonal)}."
    if round(diagonal, 2) == round(judged.attention.error, 2):
        return f"The diagonal, which looks at no word, does as well: AER {_share(diagonal)}."
    return f"The diagonal has an AER of {_share(diagonal)}."


def outcome_words(judged: Judged) -> str:
    """Whether the diagonal is better: "beaten", or ""."""
    return "beaten" if judged.is_beaten else ""


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
