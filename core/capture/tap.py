"""Attention that is computed out of the attention interface's sight, seen as torch is called.

The tap follows what comes out of a softmax through reshaping, casting and dropout to the product with the values:
what multiplies the values there is an attention map. A softmax that multiplies nothing (a router, an output layer)
is none. `core.capture.scores` follows queries and keys to the softmax. The tap is active in one thread only, and reads
without changing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from core.capture.call import AttentionCall
from core.capture.frames import Frame, following
from core.capture.interface import listener, unheard, unlabelled
from core.capture.kinds import kind_of, sums_to_less
from core.capture.layout import RESHAPING, heads_in, in_four, shared_by_heads
from core.capture.multihead import with_weights
from core.capture.origin import Origin, origin_of
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
from core.capture.scores import LOWEST_SCORE, ScoreFollower, Scores
from core.capture.sparse import SparseCall
from core.capture.stored import StoredCall
from core.capture.windows import BandReader, blocks_of, is_banded, is_in_blocks, main_rows

SOFTMAXES = {F.softmax, torch.softmax, torch.special.softmax, Tensor.softmax}
_SDPA = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")


class Keeper(Protocol):
    """What the tap tells of the calls it sees."""

    def on_attention(self, module: nn.Module | None, call: AttentionCall, value: Tensor, output: Tensor) -> None: ...

    def on_weights(
        self, module: nn.Module | None, call: StoredCall | SparseCall, value: Tensor, error: Tensor
    ) -> None: ...

    def on_live_weights(self, weights: Tensor, laid_out: Callable[[Tensor], Tensor]) -> None:
        """Before `on_weights`: the weights as they stand in the graph, and what brings their shape to (B, H, T, S)."""
        ...


@dataclass(eq=False)
class Softmax:
    """What came out of one softmax, until it meets the values.

    logits  what it was taken of; let go when the weights have met the values
    source  the product that became these, if it is known
    """

    frame: Frame | None
    columns: int
    logits: Tensor | None
    source: Scores | None

    @property
    def met(self) -> bool:
        return self.logits is None


@dataclass(frozen=True, eq=False)
class Followed:
    """What became of a softmax's weights.

    trail     how the weights were brought into another shape since: the logits can be looked at in the same way
    spread    None, or the weights and values that were multiplied cell by cell, on their way to a sum
    """

    softmax: Softmax
    trail: tuple[Callable[[Tensor], Tensor], ...] = ()
    spread: tuple[Tensor, Tensor] | None = None

    def reshaped(self, change: Callable[[Tensor], Tensor]) -> Followed:
        return replace(self, trail=(*self.trail, change))

    @property
    def logits(self) -> Tensor:
        """What the softmax was taken of, in the shape that the weights have now."""
        assert self.softmax.logits is not None
        return reduce(lambda tensor, change: change(tensor), self.trail, self.softmax.logits)


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
        self._scores = ScoreFollower()

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
        elif isinstance(result, Tensor) and result.is_floating_point() and not self._follow(func, args, kwargs, result):
            self._scores.see(func, args, kwargs, result)
        return result

    @property
    def _frame(self) -> Frame | None:
        return self._running[-1] if self._running else None

    @property
    def _source_shape(self) -> Sequence[int]:
        """Of the model's input: (B, T) or (B, T, …); each of several choices (N, K, T) is a text."""
        source = self._running[0].first_tensor if self._running else None
        if source is None or source.dim() < 2:
            return (1, 0)
        return source.shape if source.is_floating_point() else source.flatten(0, -2).shape

    def _heads(self, tensor: Tensor, module: nn.Module | None) -> int | None:
        """Of (B, H, …), (B · H, …) or, for one text and one head, of two dimensions; None if it is none of these."""
        return heads_in(tensor.shape[0], self._source_shape[0], module) if tensor.dim() == 3 else 1

    def _on_softmax(self, scores: Tensor, weights: Tensor, dim: int) -> None:
        frame, logits = self._frame, scores.detach()
        if frame is not None and is_banded(frame.module):
            if frame.then is None:
                frame.then = BandReader(frame, self._source_shape[1], self._keeper.on_weights)
            frame.then.add(weights.detach(), logits)
            return
        over_columns = dim % scores.dim() == scores.dim() - 1
        source = self._scores.of(scores) if over_columns else None
        self._followed[weights] = Followed(Softmax(frame, weights.shape[dim], logits, source))

    def _follow(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> bool:
        """Whether the result was made of weights."""
        operands = operands_of(func, args, kwargs) if self._followed else []
        operand = next((tensor for tensor in operands if tensor in self._followed), None)
        if operand is None:
            return False
        followed: Followed = self._followed[operand]
        if followed.softmax.met:
            return True
        if followed.spread is not None:
            if func in SUMS:
                weights, value = followed.spread
                pooled = partial(pooled_product, value=value, args=args, kwargs=kwargs, output=result)
                self._on_product(followed, pooled, weights)
        elif is_product(func):
            arrange = product_of(func, args, operands, operand, result)
            if arrange is not None:
                self._on_product(followed, arrange, operand)
        elif func in MULTIPLICATIONS and result.numel() > operand.numel():
            value = next(tensor for tensor in operands if tensor is not operand)
            self._followed[result] = replace(followed, spread=(operand, value.detach()))
        elif func in RESHAPING and result.dim() and result.numel() <= operand.numel():
            rest = args[1:]  # without the weights, which this table must not keep alive
            self._followed[result] = followed.reshaped(lambda tensor: func(tensor, *rest, **kwargs))
        elif result.numel() == operand.numel():
            shape, same = result.shape, result.shape == operand.shape
            self._followed[result] = followed if same else followed.reshaped(lambda tensor: tensor.reshape(shape))
        return True

    def _on_product(self, followed: Followed, arrange: Arrange, weights: Tensor) -> None:
        with torch.no_grad():
            product, seen = arrange(weights.detach()), arrange(followed.logits)
        if product is None or seen is None:
            return
        softmax, logits = followed.softmax, seen.weights
        module = softmax.frame.module if softmax.frame else None
        if product.weights.dim() == 5 and module is not None and is_in_blocks(module):
            origin = origin_of(logits, product.weights, softmax.source)
            laid_out = None
            call: StoredCall | SparseCall = blocks_of(product.weights, _blocked(logits), origin, self._source_shape[1])
            product = product.map(lambda tensor: tensor.flatten(0, 1))  # (B, blocks, H, …) -> (B · blocks, H, …)
        elif product.weights.dim() <= 4 and (heads := self._heads(product.weights, module)) is not None:
            product = product.map(lambda tensor: in_four(tensor, heads))
            rows = main_rows(self._running, product.weights.shape[2])
            laid_out = partial(_laid_out, arrange=arrange, heads=heads, rows=rows)
            product = Product(product.weights[:, :, :rows], product.value, product.output[:, :, :rows])
            logits = in_four(logits, heads)[:, :, :rows]
            # Where something multiplies the softmax, coarse number formats would still find the two alike.
            scaled, source = sums_to_less(module), _in_four(softmax.source, product.weights)
            call = StoredCall(
                path="",
                stream="",
                layer=0,
                stored=product.weights,
                blocked=shared_by_heads(_blocked(logits)),
                groups_of=_groups_of(module, product.weights.shape[1]),
                has_sink=product.weights.shape[-1] < softmax.columns or scaled,
                origin=Origin() if scaled else origin_of(logits, product.weights, source),
                kind=kind_of(module),
                remark=getattr(module, "attention_remark", ""),
            )
        else:
            return
        softmax.logits = None
        with unheard():
            if laid_out is not None:
                self._keeper.on_live_weights(weights, laid_out)
            self._keeper.on_weights(module, call, product.value, error_of_product(*product))

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
            has_sink=seen.has_sink, origin=seen.origin,
        )  # fmt: skip
        with unheard():
            self._keeper.on_weights(module, call, seen.value, seen.error)
        return expected


def _laid_out(tensor: Tensor, arrange: Arrange, heads: int, rows: int) -> Tensor:
    """A tensor of the weights' own shape as (B, H, T, S)."""
    product = arrange(tensor)
    assert product is not None
    return in_four(product.weights, heads)[:, :, :rows]


def _blocked(logits: Tensor) -> Tensor:
    """True where nothing could be attended to."""
    return logits < LOWEST_SCORE


def _in_four(source: Scores | None, weights: Tensor) -> Scores | None:
    """In the layout of weights (B, H, T, S), and of their rows only."""
    heads, rows = weights.shape[1:3]
    return None if source is None else source.map(lambda tensor: in_four(tensor, heads)).first(rows)


def _groups_of(module: nn.Module | None, heads: int) -> int:
    """Query heads that share a key-value head: a model that computes attention itself repeats these before."""
    groups = getattr(module, "num_key_value_groups", 1)
    return groups if isinstance(groups, int) and groups > 0 and heads % groups == 0 else 1
