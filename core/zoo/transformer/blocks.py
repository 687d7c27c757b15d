"""The block that every stack is built of: attention, for a decoder over a source also cross-attention, feed-forward."""

from __future__ import annotations

from torch import Tensor, nn
from transformers.modeling_layers import GradientCheckpointingLayer

from core.positions.encoding import Encoding
from core.zoo.transformer.attention import MultiHeadAttention
from core.zoo.transformer.config import TransformerConfig


class Residual(nn.Module):
    """What stands around a sublayer: norm, dropout of its output, and the sum with what it read."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.norm = nn.LayerNorm(config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)

    def before(self, hidden: Tensor) -> Tensor:
        """What the sublayer reads of (B, T, D)."""
        return self.norm(hidden) if self.pre else hidden

    def after(self, hidden: Tensor, update: Tensor) -> Tensor:
        """What goes on, of the states (B, T, D) before the sublayer and of its output."""
        total = hidden + self.dropout(update)
        return total if self.pre else self.norm(total)


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, the same at every position."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        inner = config.intermediate_size or 4 * config.hidden_size
        self.expand = nn.Linear(config.hidden_size, inner)
        self.contract = nn.Linear(inner, config.hidden_size)

    def forward(self, hidden: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        return self.contract(self.expand(hidden).relu())  # (B, T, D) -> (B, T, inner) -> (B, T, D)


class Block(GradientCheckpointingLayer):
    """One layer of an encoder (not causal), of a language model (causal) or of a decoder (causal, cross)."""

    def __init__(self, config: TransformerConfig, *, causal: bool, cross: bool) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config, causal=causal)
        self.around_self = Residual(config)
        self.cross_attention = MultiHeadAttention(config, causal=False) if cross else None
        self.around_cross = Residual(config) if cross else None
        self.feed_forward = FeedForward(config)
        self.around_feed_forward = Residual(config)

    def forward(
        self,
        hidden: Tensor,
        mask: Tensor | None = None,
        bias: Tensor | None = None,
        positions: Encoding | None = None,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        output_attentions: bool = False,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """The states (B, T, D), and the weights of self- and of cross-attention where they are asked for.

        mask, bias, positions  of self-attention; see `MultiHeadAttention.forward`
        memory, memory_mask    what cross-attention reads: (B, S, D), and bool (B, 1, 1, S)
        """
        read = self.around_self.before(hidden)
        update, weights = self.self_attention(read, None, mask, bias, positions, output_attentions)
        hidden = self.around_self.after(hidden, update)
        cross_weights = None
        if self.cross_attention is not None and self.around_cross is not None:
            read = self.around_cross.before(hidden)
            update, cross_weights = self.cross_attention(read, memory, memory_mask, None, None, output_attentions)
            hidden = self.around_cross.after(hidden, update)
        update = self.feed_forward(self.around_feed_forward.before(hidden))
        return self.around_feed_forward.after(hidden, update), weights, cross_weights
