"""What came out of a model for two orders of one text, and how far the two answers are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.capture import Trace
from core.models.model import Model


def output_words(trace: Trace) -> str:
    """The translation, the likeliest label or the likeliest next token; "" for outputs without words."""
    if trace.output.written is not None:
        return trace.output.written
    if not trace.output.likeliest or _is_said(trace):
        return ""
    return trace.output.likeliest[0][0]


def output_distance(model: Model, before: Trace, after: Trace, forced: Trace, places: Sequence[int]) -> float:
    """How far two answers are apart, 0 for the same.

    labels, next tokens     half the sum of |p - p'| over all of them (total variation), 0 to 1; where several labels
                            may hold at once, the largest |p - p'|
    an encoder-decoder's    the largest |p - p'| over the tokens of what it said to `before`; `forced` is a run of the
    translation             moved text in which it is made to say them. NaN where probabilities were not kept
    a row a token           max |f(Px) - P f(x)| over max |f(x)| + max |f(Px)|, 0 to 1; rows of a decoder stay
    """
    if _is_said(before):
        return _of_said(before, forced)
    one, other = before.output.values, after.output.values
    if before.output.kind == "labels" and _several_at_once(model, one):
        return float((one.sigmoid() - other.sigmoid()).abs().max())
    if before.output.kind in ("labels", "next tokens"):
        return float((one.softmax(-1) - other.softmax(-1)).abs().sum() / 2)
    moved = one if before.said is not None else one[torch.tensor(places)]
    return float((other - moved).abs().max() / (one.abs().max() + other.abs().max()))


def _is_said(trace: Trace) -> bool:
    """Whether the answer is a text that an encoder-decoder said."""
    return trace.said is not None and trace.output.kind == "next tokens"


def _several_at_once(model: Model, logits: Tensor) -> bool:
    return len(logits) == 1 or getattr(model.network.config, "problem_type", None) == "multi_label_classification"


def _of_said(before: Trace, forced: Trace) -> float:
    pairs = [(before.probability(row), forced.probability(row)) for row in range(len(before.said_ids))]
    gaps = [abs(one - other) for one, other in pairs if one is not None and other is not None]
    return max(gaps) if len(gaps) == len(pairs) > 0 else math.nan
