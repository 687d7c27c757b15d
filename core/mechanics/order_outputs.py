"""What came out of a model for two orders of one text, and how far the two answers are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from core.capture import NUMBER, SOFTMAX, Trace, shares_of


def output_words(trace: Trace) -> str:
    """The translation, the likeliest label or next token, or a regression's numbers; "" for outputs without words."""
    if trace.output.written is not None:
        return trace.output.written
    if not trace.output.likeliest or _is_said(trace):
        return ""
    if trace.output.function == NUMBER:
        return ", ".join(f"{value:.4g}" for _, value in trace.output.likeliest)
    return trace.output.likeliest[0][0]


def output_distance(before: Trace, after: Trace, forced: Trace, places: Sequence[int]) -> float:
    """How far two answers are apart, 0 for the same.

    labels, next tokens     half the sum of |p - p'| over all of them (total variation), 0 to 1; where several labels
                            may hold at once, the largest |p - p'|; of a regression the largest |y - y'|, in its units
    an encoder-decoder's    the largest |p - p'| over the tokens of what it said to `before`; `forced` is a run of the
    translation             moved text in which it is made to say them. NaN where probabilities were not kept
    a row a token           max |f(Px) - P f(x)| over max |f(x)| + max |f(Px)|, 0 to 1; rows of a decoder stay
    """
    if _is_said(before):
        return _of_said(before, forced)
    one, other = before.output.values, after.output.values
    if before.output.kind in ("labels", "next tokens"):
        function = before.output.function
        gaps = (shares_of(one, function) - shares_of(other, function)).abs()  # (K,)
        return float(gaps.sum() / 2 if function == SOFTMAX else gaps.max())
    moved = one if before.said is not None else one[torch.tensor(places)]
    return float((other - moved).abs().max() / (one.abs().max() + other.abs().max()))


def _is_said(trace: Trace) -> bool:
    """Whether the answer is a text that an encoder-decoder said."""
    return trace.said is not None and trace.output.kind == "next tokens"


def _of_said(before: Trace, forced: Trace) -> float:
    pairs = [(before.probability(row), forced.probability(row)) for row in range(len(before.said_ids))]
    gaps = [abs(one - other) for one, other in pairs if one is not None and other is not None]
    return max(gaps) if len(gaps) == len(pairs) > 0 else math.nan
