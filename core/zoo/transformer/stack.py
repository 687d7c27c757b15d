"""A stack of blocks with what goes before and after them: embeddings, positions and the last norm."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutputWithCrossAttentions

from core.positions import SCHEMES
from core.zoo.transformer import masks
from core.zoo.transformer.blocks import Block
from core.zoo.transformer.config import TransformerConfig


@dataclass(frozen=True, eq=False)
class Memory:
    """What a decoder's cross-attention reads: the encoder's states (B, S, D), and its tokenizer's mask (B, S)."""

    states: Tensor
    attention_mask: Tensor | None = None


class Stack(nn.Module):
    """Encoder, decoder or language model without its head."""

    main_input_name = "input_ids"  # `generate` asks an encoder for it

    def __init__(
        self, config: TransformerConfig, layers: int, *, causal: bool, cross: bool = False, embeds: bool = True
    ) -> None:
        """embeds: whether it has token embeddings of its own, or is handed embeddings."""
        super().__init__()
        self.causal = causal
        width, heads = config.hidden_size, config.num_attention_heads
        self.tokens: nn.Module = nn.Embedding(config.vocab_size, width) if embeds else nn.Identity()
        self.positions = SCHEMES[config.positions].encoding(width, heads, config.max_position_embeddings, causal)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(Block(config, causal=causal, cross=cross) for _ in range(layers))
        self.last_norm = nn.LayerNorm(width) if config.norm == "pre" else nn.Identity()

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        memory: Memory | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        return_dict: bool = True,
    ) -> BaseModelOutputWithCrossAttentions:
        """States after the last norm (B, T, D); if asked for, those before and after each layer, and all weights.

        input_ids (B, T), or inputs_embeds (B, T, D), which are token embeddings before their scaling by √D
        attention_mask (B, T), 0 at padding, which may stand on either side
        return_dict: `generate` tells an encoder so; anything else is not offered
        """
        if inputs_embeds is None:
            inputs_embeds = self.tokens(input_ids)  # (B, T) -> (B, T, D)
        length, width = inputs_embeds.shape[1:]
        real = masks.padded(attention_mask)
        hidden = self.dropout(self.positions.add(inputs_embeds * math.sqrt(width), masks.places(real)))
        mask = masks.over_keys_before(real) if self.causal else masks.over_keys(real)
        bias = self.positions.bias(length, length, hidden.device)  # (H, T, T)
        bias = None if bias is None else bias[None]  # (1, H, T, T)
        source = None if memory is None else memory.states
        source_mask = None if memory is None else masks.over_keys(masks.padded(memory.attention_mask))
        states, weights, cross_weights = [hidden], [], []
        for layer in self.layers:
            hidden, own, crossed = layer(states[-1], mask, bias, self.positions, source, source_mask, output_attentions)
            states.append(hidden)
            weights.append(own)
            cross_weights.append(crossed)
        states[-1] = self.last_norm(states[-1])
        return BaseModelOutputWithCrossAttentions(
            last_hidden_state=states[-1],
            hidden_states=tuple(states) if output_hidden_states else None,
            attentions=tuple(weights) if output_attentions else None,
            cross_attentions=tuple(cross_weights) if output_attentions and memory is not None else None,
        )
