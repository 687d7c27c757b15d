"""Which module is running: hooks that a recording in the same context reads, and that otherwise do nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle


@dataclass(eq=False)
class Frame:
    """A module that is running, what it was called with, and what is to be done with its output."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    then: Any = None  # called with the output

    @property
    def first_tensor(self) -> Tensor | None:
        """The input: token ids where they are named, the first tensor otherwise."""
        named = self.kwargs.get("input_ids")
        candidates = [named, *self.args, *self.kwargs.values()]
        return next((tensor for tensor in candidates if isinstance(tensor, Tensor)), None)


frames: ContextVar[list[Frame] | None] = ContextVar("running_modules", default=None)


@contextmanager
def following() -> Iterator[list[Frame]]:
    """Inside the block, the list holds the modules that run in this context, the outermost first."""
    running: list[Frame] = []
    token = frames.set(running)
    try:
        yield running
    finally:
        frames.reset(token)


def install_hooks(network: nn.Module) -> list[RemovableHandle]:
    """Let the network's modules tell when they run; not while other threads run it."""
    handles = []
    for module in network.modules():
        # torch's own layers only carry out what the module around them asks for; its attention is one of its own.
        if not type(module).__module__.startswith("torch.nn.") or isinstance(module, nn.MultiheadAttention):
            handles.append(module.register_forward_pre_hook(_enter, with_kwargs=True))
            handles.append(module.register_forward_hook(_leave, always_call=True))
    return handles


def _enter(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    running = None if torch.compiler.is_compiling() else frames.get()
    if running is not None:
        running.append(Frame(module, args, kwargs))


def _leave(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
    running = None if torch.compiler.is_compiling() else frames.get()
    if running and running[-1].module is module:
        frame = running.pop()
        # After an exception there is no output.
        if frame.then is not None and output is not None:
            frame.then(output)
