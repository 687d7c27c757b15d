"""Attention that is computed out of the attention interface's sight, seen as torch is called.

The tap follows what comes out of a softmax through reshaping, casting and dropout to the product with the values:
what multiplies the values there is an attention map. A softmax that multiplies nothing (a router, an output layer)
is none. The tap is active in one thread only, and reads without changing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from core.capture.call import AttentionCall
from core.capture.frames import Frame, following
from core.capture.interface import listener, unheard, unlabelled
from core.capture.kept import Call
from core.capture.kinds import kind_of
from core.capture.layout import RESHAPING, heads_in, in_four, shared_by_heads
from core.capture.multihead import with_weights
from core.capture.products import (
    MULTIPLICATIONS,
    SUMS,
    Arrange,
    Product,
    is_product,
    operands_of,
    pooled_product,
    product_of,
)
from core.capture.proof import error_of_product
from core.capture.stored import StoredCall
from core.capture.windows import BandReader, blocks_of, is_banded, is_in_blocks, main_rows

SOFTMAXES = {F.softmax, torch.softmax, torch.special.softmax, Tensor.softmax}
# Masks are added as -10,000 by the oldest models and as far lower numbers by the others; scores never come near.
LOWEST_SCORE = -5_000
_SDPA = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")


class Keeper(Protocol):
    """What the tap tells of the calls it sees."""

    def on_attention(self, module: nn.Module | None, call: AttentionCall, value: Tensor, output: Tensor) -> None: ...

    def on_weights(self, module: nn.Module | None, call: Call, error: Tensor) -> None: ...


@dataclass(eq=False)
class Softmax:
    """What came out of one softmax, until it meets the values."""

    frame: Frame | None
    columns: int
    met: bool = False


@dataclass(frozen=True, eq=False)
class Followed:
    """What became of a softmax's weights.

    blocked   of the weights' shape: True where nothing could be attended to; None where nothing was masked
    spread    None, or the weights and values that were multiplied cell by cell, on their way to a sum
    """

    softmax: Softmax
    blocked: Tensor | None
    spread: tuple[Tensor, Tensor] | None = None


@contextmanager
def tapping(keeper: Keeper) -> Iterator[None]:
    """Show the keeper each attention call that runs inside the block, in this thread, while it is the listener."""
    with following() as running, Tap(keeper, running):
        yield


class Tap(TorchFunctionMode):
    """Sees every call of torch in its thread; see `tapping`."""

    def __init__(self, keeper: Keeper, running: list[Frame]) -> None:
        super().__init__()
        self._keeper = keeper
        self._running = running
        self._followed: Any = WeakTensorKeyDictionary()

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if listener.get() is not self._keeper:
            return func(*args, **kwargs)
        if func is F.multi_head_attention_forward:
            return self._multi_head(func, args, kwargs)
        result = func(*args, **kwargs)
        if func in SOFTMAXES:
            dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
            self._on_softmax(operands_of(func, args, kwargs)[0], result, -1 if dim is None else dim)
        elif func is F.scaled_dot_product_attention:
            self._on_fused(dict(zip(_SDPA, args, strict=False)) | dict(kwargs), result)
        elif isinstance(result, Tensor) and self._followed:
            self._follow(func, args, kwargs, result)
        return result

    @property
    def _frame(self) -> Frame | None:
        return self._running[-1] if self._running else None

    @property
    def _source_shape(self) -> Sequence[int]:
        """Of the model's input: (B, T) or (B, T, …)."""
        source = self._running[0].first_tensor if self._running else None
        return (1, 0) if source is None or source.dim() < 2 else source.shape

    def _heads(self, tensor: Tensor, module: nn.Module | None) -> int | None:
        """Of (B, H, …), (B · H, …) or, for one text and one head, of two dimensions; None if it is none of these."""
        return heads_in(tensor.shape[0], self._source_shape[0], module) if tensor.dim() == 3 else 1

    def _on_softmax(self, scores: Tensor, weights: Tensor, dim: int) -> None:
        blocked = scores.detach() < LOWEST_SCORE
        frame = self._frame
        if frame is not None and is_banded(frame.module):
            if frame.then is None:
                frame.then = BandReader(frame, self._source_shape[1], self._keeper.on_weights)
            frame.then.add(weights.detach(), blocked)
            return
        softmax = Softmax(frame, columns=weights.shape[dim])
        self._followed[weights] = Followed(softmax, blocked if bool(blocked.any()) else None)

    def _follow(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        operands = operands_of(func, args, kwargs)
        operand = next((tensor for tensor in operands if tensor in self._followed), None)
        if operand is None or not result.is_floating_point():
            return
        followed: Followed = self._followed[operand]
        if followed.softmax.met:
            return
        if followed.spread is not None:
            if func in SUMS:
                weights, value = followed.spread
                pooled = partial(pooled_product, value=value, args=args, kwargs=kwargs, output=result)
                self._on_product(followed, pooled, weights)
            return
        if is_product(func):
            arrange = product_of(func, args, operands, operand, result)
            if arrange is not None:
                self._on_product(followed, arrange, operand)
        elif func in MULTIPLICATIONS and result.numel() > operand.numel():
            value = next(tensor for tensor in operands if tensor is not operand)
            self._followed[result] = replace(followed, spread=(operand.detach(), value.detach()))
        elif func in RESHAPING and result.dim() and result.numel() <= operand.numel():
            blocked = followed.blocked
            self._followed[result] = replace(
                followed, blocked=None if blocked is None else func(blocked, *args[1:], **kwargs)
            )
        elif result.numel() == operand.numel():
            blocked = followed.blocked
            if blocked is not None and blocked.shape != result.shape:
                blocked = blocked.reshape(result.shape)
            self._followed[result] = replace(followed, blocked=blocked)

    def _on_product(self, followed: Followed, arrange: Arrange, weights: Tensor) -> None:
        with torch.no_grad():
            product = arrange(weights.detach())
            masked = None if followed.blocked is None else arrange(followed.blocked)
        if product is None:
            return
        module = followed.softmax.frame.module if followed.softmax.frame else None
        blocked = None if masked is None else masked.weights
        if product.weights.dim() == 5 and module is not None and is_in_blocks(module):
            call: Call = blocks_of(product.weights, blocked, self._source_shape[1])
            product = product.map(lambda tensor: tensor.flatten(0, 1))  # (B, blocks, H, …) -> (B · blocks, H, …)
        elif product.weights.dim() <= 4 and (heads := self._heads(product.weights, module)) is not None:
            product = product.map(lambda tensor: in_four(tensor, heads))
            rows = main_rows(self._running, product.weights.shape[2])
            product = Product(product.weights[:, :, :rows], product.value, product.output[:, :, :rows])
            blocked = None if blocked is None else in_four(blocked, heads)[:, :, :rows]
            call = StoredCall(
                path="",
                stream="",
                layer=0,
                stored=product.weights,
                blocked=shared_by_heads(blocked),
                groups_of=_groups_of(module, product.weights.shape[1]),
                has_sink=product.weights.shape[-1] < followed.softmax.columns,
                kind=kind_of(module),
            )
        else:
            return
        followed.softmax.met = True
        with unheard():
            self._keeper.on_weights(module, call, error_of_product(*product))

    def _on_fused(self, call: Mapping[str, Any], output: Tensor) -> None:
        """torch's own fused attention: kept by reference, like a call of the interface."""
        module = self._frame.module if self._frame else None
        query, key, value, mask = (call.get(name) for name in _SDPA[:4])
        assert query is not None
        assert key is not None
        assert value is not None
        if query.dim() > 4 or (heads := self._heads(query, module)) is None:
            return
        query, key, value, output = (in_four(tensor, heads) for tensor in (query, key, value, output))
        mask = in_four(mask, heads) if mask is not None and mask.dim() == 3 else mask
        seen = unlabelled(module, query, key, mask, bool(call.get("is_causal", False)), call.get("scale"))
        with unheard():
            self._keeper.on_attention(module, seen, value, output.transpose(1, 2))

    def _multi_head(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        expected, seen = with_weights(func, args, kwargs)
        module = self._frame.module if self._frame else None
        call = StoredCall(
            path="", stream="", layer=0, stored=seen.weights, blocked=shared_by_heads(seen.blocked),
            has_sink=seen.has_sink,
        )  # fmt: skip
        with unheard():
            self._keeper.on_weights(module, call, seen.error)
        return expected


def _groups_of(module: nn.Module | None, heads: int) -> int:
    """Query heads that share a key-value head: a model that computes attention itself repeats these before."""
    groups = getattr(module, "num_key_value_groups", 1)
    return groups if isinstance(groups, int) and groups > 0 and heads % groups == 0 else 1
