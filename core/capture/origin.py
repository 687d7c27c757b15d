"""What stored weights are the softmax of: the size of each row, and where they are known and proven, query and key.

Shapes: B batch, H heads, T queries, S keys, D width of a head.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.capture.scores import LOWEST_SCORE, Addition, Scores

# How many rounding units of the number format a weight or a score may be off, as in `core.capture.trace.check_of`.
UNITS, UNITS_OF_HALF = 64, 8


@dataclass(frozen=True, eq=False)
class Origin:
    """Where weights come from: logits = ln weight + lse, and logits = q kᵀ · scale + added.

    lse    (B, H, T): log-sum-exp of the softmax's input; None where the weights are no softmax as they are
    query  None, or (B, H, T, D), after any rotation
    key    None, or (B, H, S, D), after any rotation
    scale  factor on q kᵀ
    added  what was added, each broadcastable to (B, H, T, S); None where it was too large to keep: it is then what the
           logits have more than q kᵀ · scale. Masks are not among it.
    """

    lse: Tensor | None = None
    query: Tensor | None = None
    key: Tensor | None = None
    scale: float = 1.0
    added: tuple[Addition, ...] | None = ()

    @property
    def kept(self) -> tuple[Tensor, ...]:
        """See `Call.kept`."""
        added = [addition.tensor for addition in self.added or ()]
        return tuple(t for t in (self.lse, self.query, self.key, *added) if t is not None)

    def rounded(self, dtype: torch.dtype) -> Origin:
        """See `Call.rounded`; what is added stays, since layers share it."""
        if self.query is None or self.key is None or self.query.element_size() <= dtype.itemsize:
            return self
        largest = torch.maximum(self.query.abs().amax(), self.key.abs().amax())
        if float(largest) > torch.finfo(dtype).max:
            return self
        return replace(self, query=self.query.to(dtype), key=self.key.to(dtype))

    def map(self, queries: Callable[[Tensor], Tensor], keys: Callable[[Tensor], Tensor]) -> Origin:
        """In another layout: queries is asked for (…, T, D) and for (…, T, 1), keys for (…, S, D)."""
        lse = None if self.lse is None else queries(self.lse[..., None])[..., 0]
        if self.query is None or self.key is None:
            return replace(self, lse=lse)
        return replace(
            self, lse=lse, query=queries(self.query), key=keys(self.key), added=() if self.added == () else None
        )

    def followed_by(self, row: Origin) -> Origin:
        """Of the rows of two calls, for a decoder that asks once for each token of the same keys."""
        lse = None if self.lse is None or row.lse is None else torch.cat([self.lse, row.lse], 2)
        if self.query is None or row.query is None or self.key is None or row.key is None:
            return Origin(lse)
        same_keys = self.key.shape == row.key.shape and torch.equal(self.key, row.key)
        if not same_keys or self.added or row.added or self.scale != row.scale:
            return Origin(lse)
        return replace(self, lse=lse, query=torch.cat([self.query, row.query], 2))


@torch.no_grad()
def origin_of(logits: Tensor, weights: Tensor, scores: Scores | None) -> Origin:
    """Of weights (…, T, S) and the input (…, T, S) of their softmax; scores: what is claimed of that, to be proven.

    The proof is of the first, the middle and the last row of every text and head.
    """
    lse = logits.amax(-1).float() - weights.amax(-1).float().log()  # (…, T, S) -> (…, T)
    rows = sorted({0, weights.shape[-2] // 2, weights.shape[-2] - 1})
    some, sure = logits[..., rows, :].float(), weights[..., rows, :].float()
    visible = (some >= LOWEST_SCORE) & torch.isfinite(some)
    error = (torch.exp(some - lse[..., rows, None]) - sure).masked_fill(~visible, 0).abs()
    if not bool((error <= tolerance_of(weights.dtype)).all()):
        return Origin()
    claims = [] if scores is None else [scores, scores.transposed]
    scores = next((c for c in claims if _fits(c, weights) and _proven(c, rows, some, visible, logits.dtype)), None)
    if scores is None:
        return Origin(lse)
    lead = weights.shape[:-2]
    query, key = (t.expand(*lead, *t.shape[-2:]) for t in (scores.query, scores.key))
    small = sum(addition.tensor.numel() for addition in scores.added) < weights.numel()
    return Origin(lse, query, key, scores.scale, scores.added if small else None)


def tolerance_of(dtype: torch.dtype) -> float:
    """How far weights may be off because of rounding in a number format."""
    return max(1e-5, _units(dtype) * torch.finfo(dtype).eps)


def _units(dtype: torch.dtype) -> int:
    return UNITS if dtype.itemsize >= 4 else UNITS_OF_HALF


def _fits(scores: Scores, weights: Tensor) -> bool:
    """Whether the product of the operands has the shape of the weights."""
    *lead, queries, keys = weights.shape
    operands = ((scores.query, queries), (scores.key, keys))
    if any(t.dim() != weights.dim() or t.shape[-2] != length for t, length in operands):
        return False
    added = [addition.tensor.shape for addition in scores.added]
    return all(len(shape) == weights.dim() for shape in added) and all(
        own in (1, whole)
        for shape, wanted in [(t.shape[:-2], lead) for t, _ in operands] + [(shape, weights.shape) for shape in added]
        for own, whole in zip(shape, wanted, strict=True)
    )


def _proven(scores: Scores, rows: list[int], logits: Tensor, visible: Tensor, dtype: torch.dtype) -> bool:
    """Whether some rows of the logits are the scores wherever something can be seen, but for one number a row.

    A softmax does not see that number: some models subtract the largest score.
    """
    mine = scores.at(rows).expand(logits.shape)
    # Sums round in proportion to their terms, which the norms bound: (…, R, 1) * (…, 1, 1) -> (…, R, 1)
    query, key = (t.float().norm(dim=-1, keepdim=True) for t in (scores.query[..., rows, :], scores.key))
    size = query * key.amax(-2, keepdim=True) * abs(scores.scale)
    size = size + torch.where(visible, mine.abs(), 0).amax(-1, keepdim=True)
    shift = [torch.where(visible, t, -torch.inf).amax(-1, keepdim=True) for t in (mine, logits)]
    error = torch.where(visible, (mine - shift[0]) - (logits - shift[1]), 0).abs()
    coarsest = max((dtype, scores.query.dtype), key=lambda each: torch.finfo(each).eps)
    return bool((error <= _units(coarsest) * torch.finfo(coarsest).eps * (1 + size)).all())
