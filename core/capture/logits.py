"""What the softmax of a recorded call was taken of, for a block of rows, however the call was kept.

Shapes: H heads that are asked for, T rows, S keys, D width of a head.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.capture.call import AttentionCall
from core.capture.kept import EVERYTHING, Call
from core.capture.origin import Origin
from core.capture.stored import StoredCall


@torch.no_grad()
def logits_of(
    call: Call, heads: Sequence[int] | None = None, rows: slice = EVERYTHING, batch: int = 0
) -> Tensor | None:
    """Scores before the softmax, with all that is added: float32 (H, T, S), -inf where the query could not attend.

    Of weights that were kept themselves, from the queries and keys that led to them, or from the size of each row's
    softmax; a weight that is too small for its number format then has -inf too. None where neither is known, and where
    one of the heads was changed, so that its weights do not come from its scores.
    A number that is the same for all keys of a row changes no weight: what is added by key alone, as BLOOM adds its
    ALiBi, counts from the query's own place.
    """
    asked = list(range(call.heads) if heads is None else heads)
    if call.changed.intersection(asked):
        return None
    if isinstance(call, AttentionCall):
        scores: Tensor | None = call.scores(heads, rows, batch)
    elif isinstance(call, StoredCall):
        scores = _of_products(call.origin, asked, rows, batch)
        scores = _of_weights(call, asked, rows, batch) if scores is None else scores
    else:
        scores = None
    return None if scores is None else scores.masked_fill(call.masked(rows, EVERYTHING, batch, heads), -torch.inf)


def _of_products(origin: Origin, heads: list[int], rows: slice, batch: int) -> Tensor | None:
    """From queries and keys, where they and all that was added are known."""
    if origin.query is None or origin.key is None or origin.added is None:
        return None
    query, key = (tensor[batch, heads].float() for tensor in (origin.query, origin.key))  # (H, T, D), (H, S, D)
    scores = (query[:, rows] @ key.mT) * origin.scale  # (H, T, D) @ (H, D, S) -> (H, T, S)
    for factor, tensor in origin.added:
        part = tensor[batch if tensor.shape[0] > 1 else 0]  # (1 or all heads, 1 or T, 1 or S)
        part = (part[heads] if part.shape[0] > 1 else part).float()
        if part.shape[1] > 1:
            part = part[:, rows]
        elif part.shape[2] == origin.query.shape[2]:
            part = part - part[:, 0, rows, None]  # (H, 1, S) - (H, T, 1) -> (H, T, S)
        scores = scores + factor * part
    return scores


def _of_weights(call: StoredCall, heads: list[int], rows: slice, batch: int) -> Tensor | None:
    """ln weight + lse, where the log-sum-exp of each row is known."""
    if call.origin.lse is None:
        return None
    lse = call.origin.lse[batch, heads][:, rows, None]  # (H, T, 1)
    return call.weights(heads, rows, batch=batch).log() + lse
