"""The one number that is explained, F, out of a model's logits (methods.md 1.0).

margin           a label's logit over the mean of the others, over the other of two, or over the foil's; a token's over
                 its foil's or over the mean of the vocabulary
logit            the logit itself
log probability, probability   after the softmax
Labels of which several may hold, and a single one, stand alone: nothing is held against them, and each has its sigmoid.
The loss and the sum of all logits are never explained.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

MARGIN, LOGIT, LOG_PROBABILITY, PROBABILITY = "margin", "logit", "log probability", "probability"
SCALARS = (MARGIN, LOGIT, LOG_PROBABILITY, PROBABILITY)
# Far below any logit that a softmax tells from zero.
SHUT = -1e4
# Of texts there is no logit: two of them have a similarity.
COSINE = "cosine"


def scalar_of(logits: Tensor, index: int, foil: int | None, scalar: str, alone: bool = False) -> Tensor:
    """(N, K) -> (N,): the scalar of one of K labels or tokens, held against another where there is a foil.

    alone: whether each label holds or not by itself. With a foil, every scalar is the difference of the two's.
    """
    alone = alone or logits.shape[-1] == 1
    if foil is not None:
        return _of_one(logits, index, scalar, alone) - _of_one(logits, foil, scalar, alone)
    if scalar != MARGIN or alone:
        return _of_one(logits, index, scalar, alone)
    # Some networks shut tokens out by a logit near minus infinity: those are no alternatives.
    open_ = logits > SHUT  # (N, K)
    own, total = logits[:, index], logits.where(open_, 0).sum(dim=-1)  # (N, K) -> (N,)
    others = (open_.sum(dim=-1) - open_[:, index].long()).clamp_min(1)
    return own - (total - own.where(open_[:, index], 0)) / others


def shares_of(logits: Tensor, alone: bool = False) -> Tensor:
    """(N, K) -> (N, K): probabilities, shared out unless each stands alone."""
    return torch.sigmoid(logits) if alone or logits.shape[-1] == 1 else torch.softmax(logits, dim=-1)


def _of_one(logits: Tensor, index: int, scalar: str, alone: bool) -> Tensor:
    if scalar in (MARGIN, LOGIT):
        return logits[:, index]
    if scalar == LOG_PROBABILITY:
        return (F.logsigmoid(logits) if alone else torch.log_softmax(logits, dim=-1))[:, index]
    return shares_of(logits, alone)[:, index]
