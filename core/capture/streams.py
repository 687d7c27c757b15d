"""Streams of a model with two stacks, told by what weights and values were computed from, never by a module's name.

While a recording runs, everything that is computed from what the decoder reads is marked. An attention call whose
values are marked is the decoder's own; marked weights over unmarked values lie over the encoder's states; unmarked
weights are the encoder's. So a module that serves both stacks is told apart call by call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from core.capture.call import AttentionCall
from core.capture.sparse import SparseCall
from core.capture.stored import StoredCall

STREAMS = ("self", "encoder", "decoder", "cross", "pooling")
# Of an encoder-decoder's decoder: a row is the token that was read, and its weights serve the token that comes next.
OFFSET_STREAMS = ("decoder", "cross")

# What a whole model calls the text that its decoder reads, and what a stack by itself calls the text that it reads.
_OF_DECODER = ("decoder_input_ids", "decoder_inputs_embeds")
_OF_STACK = ("input_ids", "inputs_embeds", "tgt", *_OF_DECODER)
_TORCH_DECODERS = (nn.TransformerDecoder, nn.TransformerDecoderLayer)
_HOOKED = "streams_hooked"
_JOINING = {torch.cat, torch.concat, torch.concatenate}

# Where the rest of a row goes, where one map is shown as two.
OF_ENCODER = "the encoder's tokens"
OF_DECODER = "the decoder's own tokens"


def is_encoder_decoder(model: nn.Module) -> bool:
    """Whether the model has two stacks, as its config says or as torch's own decoder is part of it."""
    declared = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    return bool(declared) or any(isinstance(module, _TORCH_DECODERS) for module in model.modules())


def declared_stream(module: nn.Module | None) -> str | None:
    """What a module says of itself in `attention_stream`: a map as wide as high does not show what it lies over."""
    stream = getattr(module, "attention_stream", None)
    return stream if stream in STREAMS else None


class Streams:
    """The streams of the attention calls of one network, while `following` is open in the thread that runs it."""

    def __init__(self, network: nn.Module) -> None:
        """Puts hooks on a network that may have two streams: the first time not while other threads run it."""
        self._two = is_encoder_decoder(network)
        crosses = bool(getattr(getattr(network, "config", None), "add_cross_attention", False))
        self._marks = Marks() if self._two or crosses else None
        if self._marks is not None and not getattr(network, _HOOKED, False):
            _install(network, self._two)

    def following(self) -> AbstractContextManager[object]:
        return nullcontext() if self._marks is None else _followed(self._marks)

    def of(self, module: nn.Module | None, asking: Tensor, value: Tensor) -> str:
        """The stream of a call. asking: its queries, or its weights where these are known; value: what they multiply.

        "self" in one-stack models; "encoder", "decoder" or "cross" in encoder-decoders.
        """
        own, other = ("decoder", "encoder") if self._two else ("self", "self")
        if (declared := declared_stream(module)) is not None:
            return declared
        if self._marks is None or not self._marks.has(asking):
            return other
        return own if self._marks.has(value) else "cross"

    def parts(
        self, module: nn.Module | None, call: AttentionCall, value: Tensor
    ) -> list[tuple[str, AttentionCall, Tensor]]:
        """The stream, call and values of each part of a call: two where one softmax runs over both stacks' states.

        value: (B, G, S, D). Together the two parts' rows sum to one.
        """
        own = self.own_keys(value)
        if own is None:
            return [(self.of(module, call.query, value), call, value)]
        first, second = slice(own), slice(own, None)
        return [
            ("decoder", call.part(first, OF_ENCODER), value[:, :, first]),
            ("cross", call.part(second, OF_DECODER), value[:, :, second]),
        ]

    def own_keys(self, value: Tensor) -> int | None:
        """How many of values (B, G, S, D) are the decoder's own, where the encoder's follow them; None elsewhere."""
        return None if self._marks is None else self._marks.own.get(value)

    def of_map(self, module: nn.Module | None, call: StoredCall | SparseCall, value: Tensor) -> str:
        """The same for weights of which little is known: they may lie over an RNN.

        One query over many states is pooling; where rows and columns are different things, it is cross-attention.
        """
        stream = self.of(module, call.stored, value)
        if declared_stream(module) is not None or stream in OFFSET_STREAMS or call.queries == call.keys:
            return stream
        return "cross" if self._two or call.queries > 1 else "pooling"


class Marks(TorchFunctionMode):
    """Marks each tensor that torch computes from a marked one, in its thread.

    own  of keys or values (B, G, S, D) of which the first were marked when they were put together, how many these are
    """

    def __init__(self) -> None:
        super().__init__()
        self._marked: Any = WeakTensorKeyDictionary()
        self.own: Any = WeakTensorKeyDictionary()

    def has(self, tensor: Tensor) -> bool:
        return tensor in self._marked

    def add(self, tensor: Tensor) -> None:
        self._marked[tensor] = True

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if self._marked and any(self.has(tensor) for tensor in _tensors(_read(func, args, kwargs))):
            for tensor in _tensors(result):
                self.add(tensor)
            if func in _JOINING and result.dim() == 4:
                self._see_joined(*args, **kwargs, result=result)
            if _is_in_place(func):
                self.add(args[0])
                if args[0]._base is not None:
                    self.add(args[0]._base)
        return result

    def _see_joined(self, tensors: Sequence[Tensor], dim: int = 0, *, result: Tensor, **_: Any) -> None:
        if dim in (2, -2) and [self.has(tensor) for tensor in tensors] == [True, False]:
            self.own[result] = tensors[0].shape[2]


_following: ContextVar[tuple[Marks, ...]] = ContextVar("followed_marks", default=())


@contextmanager
def _followed(marks: Marks) -> Iterator[None]:
    token = _following.set((*_following.get(), marks))
    try:
        with marks:
            yield
    finally:
        _following.reset(token)


def _install(network: nn.Module, two: bool) -> None:
    """Let the network, its decoder and torch's own decoders tell what the decoder reads."""
    network.register_forward_pre_hook(partial(_mark, _OF_DECODER if two else _OF_STACK), with_kwargs=True)
    decoders = [module for module in network.modules() if isinstance(module, _TORCH_DECODERS)]
    if two and hasattr(network, "get_encoder"):
        encoder, decoder = network.get_encoder(), network.get_decoder()  # type: ignore[operator]
        # Where one stack is both, or the decoder cannot be told from the whole, what the whole is given tells.
        decoders += [] if any(module is encoder for module in decoder.modules()) else [decoder]
    for module in decoders:
        module.register_forward_pre_hook(partial(_mark, _OF_STACK), with_kwargs=True)
    object.__setattr__(network, _HOOKED, True)


def _mark(
    names: Sequence[str], module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Hand on what a decoder is given under these names as another object: the encoder may be given the same one."""
    if torch.compiler.is_compiling() or not (following := _following.get()):
        return None

    def marked(name: str, given: Any) -> Any:
        if name not in names or not isinstance(given, Tensor):
            return given
        alias = given.view_as(given)
        for marks in following:
            marks.add(alias)
        return alias

    order = [*inspect.signature(module.forward).parameters, *[""] * len(args)]
    by_place = tuple(marked(name, given) for name, given in zip(order, args, strict=False))
    return by_place, {name: marked(name, given) for name, given in kwargs.items()}


def _read(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The arguments whose numbers the result depends on: of some functions they give only a shape or a format."""
    name = str(getattr(func, "__name__", ""))
    if name.startswith("new_") or name.endswith("_like"):
        return ()
    return args[:1] if name == "to" or name.endswith("_as") else (args, kwargs)


def _is_in_place(func: Callable[..., Any]) -> bool:
    name = str(getattr(func, "__name__", ""))
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def _tensors(value: Any) -> Iterator[Tensor]:
    """All tensors in lists, tuples and mappings."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, Mapping):
        yield from _tensors(list(value.values()))
