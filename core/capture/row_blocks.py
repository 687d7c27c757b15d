"""Attention with soft-capped scores or sinks, which torch's fused function cannot compute, in blocks of rows.

Registered as an implementation of its own for the classes that call the attention interface but do not support
"sdpa". It never holds heads × queries × keys at once, and is exact: `AttentionCall` is its formula.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask

from core.capture.call import AttentionCall
from core.capture.interface import report, unheard, unlabelled

# The library finds implementations by parts of their names: this one must not contain "sdpa", "flash", "flex" or "/".
NAME = "row_blocks"
# Scores that stand in memory at a time.
CELLS = 1 << 20


def row_blocks_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    sinks: Tensor | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Same contract as the library's eager functions, without their maps: output (B, T, H, D).

    is_causal is not read: `always_mask` builds the whole mask, and some modules declare it wrongly.
    """
    sink = s_aux if s_aux is not None else sinks
    call = replace(
        unlabelled(module, query, key, attention_mask, False, scaling, position_bias, **kwargs),
        softcap=softcap,
        sinks=sink.view(1, -1, 1, 1) if sink is not None and sink.dim() == 1 else sink,  # (H,) -> (1, H, 1, 1)
    )
    with nullcontext() if torch.compiler.is_compiling() else unheard():
        output = _attended(call, value, dropout if module.training else 0.0)
    return (output if torch.compiler.is_compiling() else report(module, call, value, output)), None


def _attended(call: AttentionCall, value: Tensor, dropout: float) -> Tensor:
    """(B, G, S, D) -> (B, T, H, D)"""
    step = max(16, CELLS // (call.heads * call.keys))
    texts = []
    for batch in range(value.shape[0]):
        blocks = []
        for start in range(0, call.queries, step):
            weights = call.weights(rows=slice(start, start + step), batch=batch)  # (H, rows, S)
            blocks.append(call.apply(F.dropout(weights, dropout), value, batch))  # (H, rows, D)
        texts.append(torch.cat(blocks, dim=1))  # (H, T, D)
    return torch.stack(texts).to(value.dtype).transpose(1, 2).contiguous()  # (B, H, T, D) -> (B, T, H, D)


def always_mask(**kwargs: Any) -> Tensor:
    """The library's boolean mask, (B, 1, T, S), never left out: a mask that is None would be no mask at all."""
    mask = sdpa_mask(**{**kwargs, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False})
    assert mask is not None
    return mask


def install() -> None:
    """Register the function and its mask with the library; repeating it changes nothing."""
    AttentionInterface.register(NAME, row_blocks_forward)
    AttentionMaskInterface.register(NAME, always_mask)
