"""The wrapped entry of the attention interface: it calls the library's function and shows a recording what passed.

The name stays "sdpa", because model classes compare names and pick their mask functions by name; so the models'
output is bit-identical with and without a recording. Every recording belongs to the context (thread) that opened it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from core.capture.call import AttentionCall, HeadMap
from core.capture.kinds import kind_of


class Listener(Protocol):
    """What is told of each attention call of a module."""

    def on_attention(self, module: nn.Module | None, call: AttentionCall, value: Tensor, output: Tensor) -> None:
        """call: not yet labelled; value: (B, G, S, D), what the weights multiply; output: (B, T, H, D)."""


class Changer(Protocol):
    """What may change the output (B, T, H, D) of a call before the model and the listener see it."""

    def on_output(
        self, module: nn.Module, call: AttentionCall, value: Tensor, output: Tensor
    ) -> tuple[Tensor, Mapping[int, HeadMap]]:
        """Like `Listener.on_attention`; the output to go on with, and the maps that the changed heads used."""


listener: ContextVar[Listener | None] = ContextVar("attention_listener", default=None)
changer: ContextVar[Changer | None] = ContextVar("attention_changer", default=None)


def attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Same contract as transformers' `sdpa_attention_forward`, and the same result to the bit."""
    forward = partial(
        sdpa_attention_forward, module, query, key, value, attention_mask, dropout, scaling, is_causal, position_bias
    )
    # A context variable cannot be traced: compiled code runs unrecorded.
    if torch.compiler.is_compiling() or (listener.get() is None and changer.get() is None):
        return forward(**kwargs)
    with unheard():
        output, _ = forward(**kwargs)
    declared = is_causal if is_causal is not None else getattr(module, "is_causal", True)
    causal = bool(declared) and attention_mask is None and query.shape[2] > 1
    if causal and key.shape[2] > query.shape[2]:
        # A static cache hands over its empty slots too; the library's function crops them the same way.
        key, value = key[:, :, : query.shape[2]], value[:, :, : query.shape[2]]
    call = unlabelled(module, query, key, attention_mask, causal, scaling, position_bias, **kwargs)
    return report(module, call, value, output), None


def unlabelled(
    module: nn.Module | None,
    query: Tensor,
    key: Tensor,
    mask: Tensor | None,
    causal: bool = False,
    scale: float | None = None,
    bias: Tensor | None = None,
    sliding_window: int | None = None,
    **_: Any,
) -> AttentionCall:
    """The call as its module made it; a recording knows its path, stream and layer."""
    return AttentionCall(
        path="",
        stream="",
        layer=0,
        query=query,
        key=key,
        mask=mask,
        causal=causal,
        scale=query.shape[-1] ** -0.5 if scale is None else float(scale),
        bias=bias,
        kind=kind_of(module, sliding_window),
    )


def report(module: nn.Module, call: AttentionCall, value: Tensor, output: Tensor) -> Tensor:
    """Let the context's changes and recording have the call: the output (B, T, H, D) that the model goes on with."""
    change, active = changer.get(), listener.get()
    if change is not None:
        output, replaced = change.on_output(module, call, value, output)
        call = replace(call, replaced=replaced)
    if active is not None:
        with unheard():
            active.on_attention(module, call, value, output)
    return output


@contextmanager
def unheard() -> Iterator[None]:
    """Inside the block nobody listens: what computes attention here calls torch, which the tap would take for more."""
    token = listener.set(None)
    try:
        yield
    finally:
        listener.reset(token)


def install() -> None:
    """Put the wrapper in the place of the library's own "sdpa" function; repeating it changes nothing."""
    AttentionInterface.register("sdpa", attention_forward)
