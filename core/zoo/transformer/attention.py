"""Multi-head attention (Vaswani and others 2017, section 3.2).

Shapes: B batch, H heads, T queries, S keys, D width of the hidden states, W = D / H width of a head.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from core.positions.encoding import Encoding
from core.zoo.transformer.config import TransformerConfig


def eager_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """softmax(q kᵀ · scaling + bias, masked) v, step by step.

    query (B, H, T, W), key and value (B, H, S, W); attention_mask bool, True = may attend, and position_bias are
    broadcastable to (B, H, T, S). Without a mask a module that `is_causal` lets query i see keys 0..i.
    Returns the output (B, T, H, W) and the weights (B, H, T, S) after the softmax, before dropout.
    """
    scores = query @ key.transpose(-2, -1)  # (B, H, T, W) @ (B, H, W, S) -> (B, H, T, S)
    scores = scores * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is None and module.is_causal:
        attention_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()  # (T, S)
    if attention_mask is not None:
        scores = scores.masked_fill(~attention_mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    dropped = F.dropout(weights, dropout, training=dropout > 0)
    output = dropped @ value  # (B, H, T, S) @ (B, H, S, W) -> (B, H, T, W)
    return output.transpose(1, 2).contiguous(), weights


class MultiHeadAttention(nn.Module):
    """Queries of one sequence attend to another's keys and values, or to their own, in several heads at once."""

    def __init__(self, config: TransformerConfig, *, causal: bool) -> None:
        super().__init__()
        self.config = config
        self.is_causal = causal
        self.dropout = config.dropout
        self.scaling = config.head_width**-0.5 if config.scaled else 1.0
        width = config.hidden_size
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(
        self,
        hidden: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        bias: Tensor | None = None,
        positions: Encoding | None = None,
        output_attentions: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """hidden (B, T, D) attends to memory (B, S, D), or to itself where there is none.

        mask       bool, broadcastable to (B, H, T, S): True = may attend
        bias       added to the scores of every layer: (1, H, T, S)
        positions  turn queries and keys, or add to the scores what depends on the queries
        Returns (B, T, D) and the weights (B, H, T, S), which are None unless `output_attentions` asks for them: the
        attention interface's fused functions have none to give, so such a call takes the written-out function.
        """
        memory = hidden if memory is None else memory
        query, key = self._split(self.query(hidden)), self._split(self.key(memory))  # (B, H, T, W), (B, H, S, W)
        value = self._split(self.value(memory))  # (B, H, S, W)
        if positions is not None:
            query, key = positions.rotate(query), positions.rotate(key)
            bias = _sum(bias, positions.query_bias(query, key.shape[-2], self.scaling))  # (B, H, T, S)
        attend = eager_attention if output_attentions else self._interface()
        attended, weights = attend(
            self,
            query,
            key,
            value,
            mask,
            dropout=self.dropout if self.training else 0.0,
            scaling=self.scaling,
            position_bias=None if bias is None else bias.to(query.dtype),
        )
        # (B, T, H, W) -> (B, T, D)
        return self.output(attended.flatten(-2)), weights if output_attentions else None

    def _split(self, states: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, W)."""
        return states.unflatten(-1, (self.config.num_attention_heads, self.config.head_width)).transpose(1, 2)

    def _interface(self) -> Callable[..., tuple[Tensor, Tensor | None]]:
        """What the model's attention implementation names; `core.capture` listens to "sdpa"."""
        return ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager_attention)


def _sum(bias: Tensor | None, own: Tensor | None) -> Tensor | None:
    return own if bias is None else bias if own is None else bias + own
