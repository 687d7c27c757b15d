"""Scores of known numbers, for the figures of the Saliency page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.saliency.scores import Scores
from core.saliency.target import Target
from core.views import SaliencyRow, SaliencyRows
from tests.views.traces import plain_tokens

WORDS = ("a", "dull", "</script>", "=1+1", "猫", "fun")
TARGET = Target("label", 1, "positive", 0.875)


def scores_of(values: Sequence[float], method: str = "attention", **fields: Any) -> Scores:
    """Scores of these values, a token a word, of a method without a sign unless the fields say otherwise."""
    count = len(values)
    labels = fields.pop("labels", None) or (WORDS * (count // len(WORDS) + 1))[:count]
    made = Scores(
        method=method, title=method.replace("_", " ").capitalize(), values=np.array(values, np.float64),
        tokens=plain_tokens(count), groups=tuple((i,) for i in range(count)), labels=labels, signed=False,
        class_specific=False, additive=False, completeness_delta=None, rest=0.0, error=None, target=TARGET, scalar="",
        baseline="", aggregation="", by="word", forwards=1, backwards=0, seconds=0.1, checks=(), note="",
        model="tiny <b>model</b>",
    )  # fmt: skip
    return replace(made, **fields)


def signed_scores(values: Sequence[float], method: str = "integrated_gradients", **fields: Any) -> Scores:
    """Scores of a gradient method that have a sign and sum to what is explained."""
    told = {"scalar": "margin", "baseline": "unknown", "aggregation": "dot"}
    return scores_of(values, method, **{"signed": True, "class_specific": True, "additive": True, **told, **fields})


def row_of(scores: Scores, family: str = "gradient") -> SaliencyRow:
    """The row of these scores."""
    return SaliencyRow(scores.method, scores.title, family, scores)


def rows_with(*rows: SaliencyRow, **fields: Any) -> SaliencyRows:
    """A figure's rows over the words of the first that has scores, else over all of `WORDS`."""
    labels = next((row.scores.labels for row in rows if row.scores is not None), WORDS)
    told = {"model": "tiny <b>model</b>", "target": "label “positive”", "labels": labels, "by": "word", "left_out": 2}
    return SaliencyRows(rows=tuple(rows), **{**told, **fields})
