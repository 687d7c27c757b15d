"""The one number that is explained, F, out of a model's logits (methods.md 1.0).

margin           a label's logit over the mean of the others, over the other of two, or over the foil's; a token's over
                 its foil's or over the mean of the vocabulary
logit            the logit itself
log probability, probability   after the softmax
Labels of which several may hold, and a single one, stand alone: nothing is held against them, and each has its sigmoid.
A regression has a number alone, which is its logit.
The loss and the sum of all logits are never explained.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from core.capture import NUMBER, SIGMOID, SOFTMAX, shares_of

MARGIN, LOGIT, LOG_PROBABILITY, PROBABILITY = "margin", "logit", "log probability", "probability"
SCALARS = (MARGIN, LOGIT, LOG_PROBABILITY, PROBABILITY)
# Those that are sums of logits.
LOGITS = (MARGIN, LOGIT, NUMBER)
# Of two texts there is no logit: they have a similarity.
COSINE = "cosine"
# Far below any logit that a softmax tells from zero.
SHUT = -1e4


def scalar_of(logits: Tensor, index: int, foil: int | None, scalar: str, function: str = SOFTMAX) -> Tensor:
    """(N, K) -> (N,): the scalar of one of K labels or tokens, held against another where there is a foil.

    function: what makes probabilities of the logits. With a foil, every scalar is the difference of the two's.
    """
    if foil is not None:
        return _of_one(logits, index, scalar, function) - _of_one(logits, foil, scalar, function)
    if scalar != MARGIN or function != SOFTMAX:
        return _of_one(logits, index, scalar, function)
    # Some networks shut tokens out by a logit near minus infinity: those are no alternatives.
    open_ = logits > SHUT  # (N, K)
    own, total = logits[:, index], logits.where(open_, 0).sum(dim=-1)  # (N, K) -> (N,)
    others = (open_.sum(dim=-1) - open_[:, index].long()).clamp_min(1)
    return own - (total - own.where(open_[:, index], 0)) / others


def scalars_for(function: str) -> tuple[str, ...]:
    """Those that there are of such logits, the one that is explained unless another is asked for first."""
    return (NUMBER,) if function == NUMBER else SCALARS


def _of_one(logits: Tensor, index: int, scalar: str, function: str) -> Tensor:
    if scalar in (MARGIN, LOGIT, NUMBER):
        return logits[:, index]
    if scalar == LOG_PROBABILITY:
        return (F.logsigmoid(logits) if function == SIGMOID else torch.log_softmax(logits, dim=-1))[:, index]
    return shares_of(logits, function)[:, index]
