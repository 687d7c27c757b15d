"""Following a product of queries and keys to the softmax: what scales it and what is added to it on the way.

The counterpart of what the tap does after the softmax. What is followed is only a claim; `core.capture.origin` proves
it against the softmax's own input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from core.capture.layout import RESHAPING
from core.capture.products import MULTIPLICATIONS, is_product, operands_of_scores

# Masks are added as -10,000 by the oldest models and as far lower numbers by the others; scores never come near.
LOWEST_SCORE = -5_000
# More than this is no score on its way to a softmax, but a text's own state that every layer adds to.
MOST_ADDITIONS = 6

_SCALING = MULTIPLICATIONS | {Tensor.mul_, Tensor.multiply_}
_DIVIDING = {torch.div, torch.divide, torch.true_divide, Tensor.div, Tensor.div_, Tensor.divide, Tensor.true_divide}
_ADDING = {torch.add, Tensor.add, Tensor.add_}
_SUBTRACTING = {torch.sub, torch.subtract, Tensor.sub, Tensor.sub_, Tensor.subtract}
_ADDED_PRODUCT = {torch.baddbmm, Tensor.baddbmm}
# What leaves the scores that the softmax can see as they are; whether it does is what the proof is for.
_KEEPING = RESHAPING | {
    Tensor.to, Tensor.float, Tensor.half, Tensor.bfloat16, Tensor.double, Tensor.type, Tensor.type_as, Tensor.clone,
    Tensor.masked_fill, Tensor.masked_fill_, Tensor.where, Tensor.maximum, Tensor.clamp, Tensor.clamp_,
    torch.masked_fill, torch.where, torch.max, torch.maximum, torch.clamp, torch.cat, torch.concat, F.dropout,
}  # fmt: skip


class Addition(NamedTuple):
    """Something added to scores, `factor` times: broadcastable to their shape, with as many dimensions."""

    factor: float
    tensor: Tensor


@dataclass(frozen=True, eq=False)
class Scores:
    """q kᵀ · scale + what was added, in the layout of the product's result.

    query (…, T, D); key (…, S, D); the result is (…, T, S)
    """

    query: Tensor
    key: Tensor
    scale: float = 1.0
    added: tuple[Addition, ...] = ()

    def scaled(self, factor: float) -> Scores:
        added = tuple(Addition(factor * a.factor, a.tensor) for a in self.added)
        return replace(self, scale=factor * self.scale, added=added)

    def map(self, change: Callable[[Tensor], Tensor]) -> Scores:
        """In another layout."""
        added = tuple(Addition(a.factor, change(a.tensor)) for a in self.added)
        return replace(self, query=change(self.query), key=change(self.key), added=added)

    @property
    def transposed(self) -> Scores:
        """Where a product of keys and queries was turned around."""
        return replace(self, query=self.key, key=self.query)

    def at(self, rows: Sequence[int]) -> Tensor:
        """What is claimed of some rows: float32 (…, R, S), with the dimensions that the operands broadcast to."""
        index = list(rows)
        total = (self.query[..., index, :].float() @ self.key.float().mT) * self.scale  # (…, R, D) @ (…, D, S)
        for factor, tensor in self.added:
            total = total + factor * (tensor[..., index, :] if tensor.shape[-2] > 1 else tensor).float()
        return total

    def first(self, rows: int) -> Scores:
        """Of the first queries only."""
        added = tuple(Addition(a.factor, a.tensor[..., :rows, :]) for a in self.added)
        return replace(self, query=self.query[..., :rows, :], added=added)


class ScoreFollower:
    """Remembers which tensors are scores; told of every call of torch in its thread."""

    def __init__(self) -> None:
        self._known: Any = WeakTensorKeyDictionary()
        self._masks: Any = WeakTensorKeyDictionary()

    def of(self, tensor: Tensor) -> Scores | None:
        """The product that became this tensor, if it is known."""
        found: Scores | None = self._known.get(tensor)
        return found

    @torch.no_grad()
    def see(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        if is_product(func) or func in _ADDED_PRODUCT:
            product = operands_of_scores(func, args, kwargs, result)
            if product is not None:
                self._remember(result, self._multiplied(Scores(*product), func, args, kwargs, result))
        elif self._known:
            found = [each for each in _tensors(args, kwargs) if each in self._known]
            if found:
                mine = self._content_of(func, found)
                self._remember(result, None if mine is None else self._after(func, args, kwargs, mine, result))

    def _content_of(self, func: Callable[..., Any], found: Sequence[Tensor]) -> Tensor | None:
        """Which of several products is followed: beside one with positions that were shifted, that which was not."""
        if len(found) > 1:
            found = [each for each in found if func in _ADDING and _is_as_claimed(each, self._known[each])]
        return found[0] if len(found) == 1 else None

    def _remember(self, result: Tensor, scores: Scores | None) -> None:
        """A result that is no score any more may be the very tensor that was one."""
        if scores is not None and len(scores.added) <= MOST_ADDITIONS:
            self._known[result] = scores
        else:
            self._known.pop(result, None)

    def _multiplied(
        self, scores: Scores, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor
    ) -> Scores | None:
        if func not in _ADDED_PRODUCT:
            return scores
        start = args[0] if args else kwargs["input"]
        scores = scores.scaled(float(kwargs.get("alpha", 1)))
        return self._with(scores, float(kwargs.get("beta", 1)), start, result)

    def _after(
        self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], mine: Tensor, result: Tensor
    ) -> Scores | None:
        scores: Scores = self._known[mine]
        if func in _KEEPING:
            return scores
        other = _other(args, kwargs, mine)
        if func in _SCALING:
            # A tensor of many numbers is a mask of ones and zeros, or the proof will fail.
            factor = _number(other)
            return scores if factor is None else scores.scaled(factor)
        first = bool(args) and args[0] is mine
        if func in _DIVIDING:
            divisor = _number(other)
            return scores.scaled(1 / divisor) if first and divisor else None
        if func in _ADDING or (func in _SUBTRACTING and first):
            sign = 1.0 if func in _ADDING else -1.0
            return self._with(scores, sign * float(kwargs.get("alpha", 1)), other, result)
        return None

    def _with(self, scores: Scores, factor: float, other: Any, result: Tensor) -> Scores | None:
        """Scores with something added: what is the same for all keys of a row, or only a mask, changes no weight."""
        if _number(other) is not None or factor == 0:
            return scores
        if not isinstance(other, Tensor):
            return None
        other = other.detach()
        if (other.shape[-1] == 1 < result.shape[-1]) or self._is_mask(other, factor):
            return scores
        other = other[(None,) * (result.dim() - other.dim())]
        return replace(scores, added=(*scores.added, Addition(factor, other)))

    def _is_mask(self, tensor: Tensor, factor: float) -> bool:
        """Whether nothing but zeros and the lowest numbers is added. One mask serves many layers."""
        known: tuple[float, bool] | None = self._masks.get(tensor)
        if known is None or known[0] != factor:
            # The last row shows a bias without a look at all the others.
            last = tensor[..., -1:, :] if tensor.dim() > 1 else tensor
            answer = all(bool(((t == 0) | (t * factor < LOWEST_SCORE)).all()) for t in (last, tensor))
            self._masks[tensor] = known = (factor, answer)
        return known[1]


def _is_as_claimed(tensor: Tensor, scores: Scores) -> bool:
    """Whether the last row still is that of the product."""
    if tensor.dim() < 2 or not tensor.numel():
        return False
    row, claimed = tensor[..., -1:, :].detach().float(), scores.at([-1])
    return row.numel() == claimed.numel() and bool(
        torch.allclose(row.flatten(), claimed.flatten(), rtol=1e-2, atol=1e-3 * float(claimed.abs().max()))
    )


def _tensors(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """The tensors of a call, those of a list or tuple as well."""
    each = [*args, *kwargs.values()]
    return [t for e in each for t in (e if isinstance(e, (list, tuple)) else (e,)) if isinstance(t, Tensor)]


def _other(args: Sequence[Any], kwargs: Mapping[str, Any], mine: Tensor) -> Any:
    """The second operand of a function of two."""
    given = [*args[:2], *(kwargs[name] for name in ("input", "other") if name in kwargs)]
    return next((each for each in given if each is not mine), None)


def _number(value: Any) -> float | None:
    """A number, or a tensor of one."""
    if isinstance(value, Tensor):
        return float(value) if value.numel() == 1 else None
    return float(value) if isinstance(value, (int, float)) else None
