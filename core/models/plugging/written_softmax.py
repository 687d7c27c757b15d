"""A softmax that somebody has written out by hand, shown to the tap as the softmax that it is.

`core.capture.tap` knows torch's softmax functions. Here, exp(x) / Σ exp(x) in any spelling is noticed as torch is
called, with masks that multiply it and a small number below the fraction. So is whatever else is nowhere negative and
is divided by its own sum. The module goes on with its own numbers, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from core.capture.interface import listener
from core.capture.layout import RESHAPING
from core.capture.products import MULTIPLICATIONS, SUMS, operands_of
from core.capture.tap import SOFTMAXES

# How far the sum of a row may be from one: a small number below the fraction takes a little, and rounding too.
OFF, UNITS = 1e-3, 4
_EXPONENTIALS = {torch.exp, Tensor.exp, Tensor.exp_}
_DIVISIONS = {
    torch.div, torch.divide, torch.true_divide, Tensor.div, Tensor.div_, Tensor.divide, Tensor.true_divide,
    Tensor.__truediv__, Tensor.__itruediv__,
}  # fmt: skip
_FRACTIONS = _DIVISIONS | MULTIPLICATIONS | {Tensor.mul_}
# A sum remains the sum that something is divided by.
_KEEPING_SUM = RESHAPING | {
    torch.add, Tensor.add, Tensor.add_, Tensor.__radd__, torch.clamp, torch.clamp_min, torch.maximum, torch.max,
    torch.reciprocal, Tensor.clamp, Tensor.clamp_, Tensor.clamp_min, Tensor.clamp_min_, Tensor.maximum, Tensor.max,
    Tensor.expand_as, Tensor.masked_fill, Tensor.where, torch.where, Tensor.reciprocal, Tensor.__rtruediv__, Tensor.to,
    Tensor.float, Tensor.type_as,
}  # fmt: skip


def noticing() -> AbstractContextManager[object]:
    """Inside the block, softmaxes written by hand are shown to the recording of this thread; nothing without one."""
    return nullcontext() if listener.get() is None else WrittenSoftmax()


class WrittenSoftmax(TorchFunctionMode):
    """Sees every call of torch in its thread; see `noticing`."""

    def __init__(self) -> None:
        super().__init__()
        self._exponents: Any = WeakTensorKeyDictionary()  # by exp(x), x
        self._sums: Any = WeakTensorKeyDictionary()  # by what may be divided by, what was summed and along which dim

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if isinstance(result, Tensor) and result.is_floating_point() and result.dim():
            with torch.no_grad():
                self._see(func, args, kwargs, result)
        return result

    def _see(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        if func in _EXPONENTIALS:
            operand = operands_of(func, args, kwargs)[0]
            if operand is not result:
                self._exponents[result] = operand
            # exp(log softmax x) is one already.
            if result.shape[-1] > 1 and _sums_to_one(result, -1):
                _show(operand, result, -1)
        elif func in SUMS:
            operand, dim = operands_of(func, args, kwargs)[0], _dim(args, kwargs)
            if dim is not None:
                self._sums[result] = (operand, dim % operand.dim())
        elif func is F.normalize:
            if kwargs.get("p", args[1] if len(args) > 1 else 2) == 1:
                dim = kwargs.get("dim", args[2] if len(args) > 2 else 1)
                self._show_fraction(operands_of(func, args, kwargs)[0], result, dim)
        elif self._sums:
            self._follow(func, operands_of(func, args, kwargs), result)

    def _follow(self, func: Callable[..., Any], operands: Sequence[Tensor], result: Tensor) -> None:
        total = next((operand for operand in operands if operand in self._sums), None)
        if total is None:
            return
        summed, dim = self._sums[total]
        if func in _FRACTIONS and any(_same(operand, summed) for operand in operands):
            self._show_fraction(summed, result, dim)
        elif func in _KEEPING_SUM:
            self._sums[result] = (summed, dim)

    def _show_fraction(self, numerator: Tensor, result: Tensor, dim: int) -> None:
        if result.shape == numerator.shape and bool((result >= 0).all()) and _sums_to_one(result, dim):
            _show(self._exponents.get(numerator), result, dim)


class _Announced(Tensor):
    """The input of a softmax whose outcome is known: torch's softmax of it gives that. Else it is a plain tensor.

    torch.where(…, scores, announced) gives the announced one: so the tap learns what products its scores came from.
    """

    plain: Tensor
    outcome: Tensor

    @classmethod
    def of(cls, scores: Tensor, outcome: Tensor) -> _Announced:
        announced = scores.detach().as_subclass(cls)
        announced.plain, announced.outcome = scores.detach(), outcome
        return announced

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func is torch.where:
            return args[-1]
        announced = args[0]
        return announced.outcome if func in SOFTMAXES else func(announced.plain, *args[1:], **(kwargs or {}))


def _show(scores: Tensor | None, weights: Tensor, dim: int) -> None:
    """Let the tap see a softmax. scores: what it may have been taken of; without them, their logarithms serve."""
    if scores is None or scores.shape != weights.shape or not _gives(scores, weights, dim):
        scores = weights.log()
    announced = _Announced.of(scores, weights)
    torch.softmax(torch.where(torch.ones_like(scores, dtype=torch.bool), scores, announced), dim)


def _gives(scores: Tensor, weights: Tensor, dim: int) -> bool:
    return bool(((torch.softmax(scores, dim) - weights).abs() <= _off(weights)).all())


def _same(tensor: Tensor, other: Tensor) -> bool:
    """Whether they are one, or were worked out twice."""
    return tensor is other or (tensor.shape == other.shape and bool(torch.equal(tensor, other)))


def _sums_to_one(weights: Tensor, dim: int) -> bool:
    """Whether rows sum to one; those that may attend to nothing sum to zero."""
    total = weights.sum(dim).float()
    return bool(((total - 1).abs() <= _off(weights)).logical_or(total == 0).all()) and bool((total > 0).any())


def _off(weights: Tensor) -> float:
    return max(OFF, UNITS * torch.finfo(weights.dtype).eps)


def _dim(args: Sequence[Any], kwargs: Mapping[str, Any]) -> int | None:
    """The one dimension that a sum runs along; None for none or several."""
    dim = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    if isinstance(dim, (tuple, list)) and len(dim) == 1:
        dim = dim[0]
    return dim if isinstance(dim, int) else None
