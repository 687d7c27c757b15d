"""The wrapped entry of the attention interface: it calls the library's function and shows a recording what passed.

The name stays "sdpa", because model classes compare names and pick their mask functions by name; so the models'
output is bit-identical with and without a recording. Every recording belongs to the context (thread) that opened it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward


class Listener(Protocol):
    """What the wrapper reports to: one call of one attention module, with its output (B, T, H, D)."""

    def on_attention(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        causal: bool,
        scale: float | None,
        bias: Tensor | None,
        output: Tensor,
    ) -> None: ...


listener: ContextVar[Listener | None] = ContextVar("attention_listener", default=None)


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
    output, _ = sdpa_attention_forward(
        module, query, key, value, attention_mask, dropout, scaling, is_causal, position_bias, **kwargs
    )
    # A context variable cannot be traced: compiled code runs unrecorded.
    active = None if torch.compiler.is_compiling() else listener.get()
    if active is not None:
        declared = is_causal if is_causal is not None else getattr(module, "is_causal", True)
        causal = bool(declared) and attention_mask is None and query.shape[2] > 1
        active.on_attention(
            module, query, key, value, attention_mask, causal, scaling, position_bias, output
        )  # fmt: skip
    return output, None


def install() -> None:
    """Put the wrapper in the place of the library's own "sdpa" function; repeating it changes nothing."""
    AttentionInterface.register("sdpa", attention_forward)
