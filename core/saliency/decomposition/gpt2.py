"""GPT-2: Pre-LN blocks whose one map computes queries, keys and values."""

from __future__ import annotations

from typing import Any

from core.saliency.decomposition.modules import columns_of, linear_of, norm_of
from core.saliency.decomposition.stack import Head, Layer, Stack


def gpt2(network: Any) -> Stack:
    """A GPT-2; the row of its last token gives the next token's logits."""
    base = network.base_model
    head = getattr(network, "lm_head", None)
    layers = tuple(_layer(layer) for layer in base.h)
    return Stack(layers, norm_of(base.ln_f), None if head is None else Head("last", linear_of(head)))


def _layer(layer: Any) -> Layer:
    width = layer.attn.embed_dim
    return Layer(
        heads=layer.attn.num_heads,
        value=columns_of(linear_of(layer.attn.c_attn), 2 * width, 3 * width),
        output=linear_of(layer.attn.c_proj),
        attention_norm=norm_of(layer.ln_1),
        expand=linear_of(layer.mlp.c_fc),
        activation=layer.mlp.act,
        contract=linear_of(layer.mlp.c_proj),
        feed_forward_norm=norm_of(layer.ln_2),
        pre=True,
    )
