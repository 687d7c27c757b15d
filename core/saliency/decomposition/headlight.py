"""Our own Transformer, Pre-LN or Post-LN: the classifier reads the mean of all states, the language model the last."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from core.saliency.decomposition.modules import linear_of, norm_of
from core.saliency.decomposition.stack import Head, Layer, Stack


def headlight(network: Any) -> Stack:
    """A classifier or a language model of `core.zoo.transformer`."""
    if hasattr(network, "classifier"):
        return _stack(network.encoder, Head("mean", linear_of(network.classifier)))
    return _stack(network.decoder, Head("last", linear_of(network.lm_head)))


def _stack(stack: Any, head: Head) -> Stack:
    last_norm = None if isinstance(stack.last_norm, nn.Identity) else norm_of(stack.last_norm)
    return Stack(tuple(_layer(layer) for layer in stack.layers), last_norm, head)


def _layer(layer: Any) -> Layer:
    return Layer(
        heads=layer.self_attention.config.num_attention_heads,
        value=linear_of(layer.self_attention.value),
        output=linear_of(layer.self_attention.output),
        attention_norm=norm_of(layer.around_self.norm),
        expand=linear_of(layer.feed_forward.expand),
        activation=torch.relu,
        contract=linear_of(layer.feed_forward.contract),
        feed_forward_norm=norm_of(layer.around_feed_forward.norm),
        pre=layer.around_self.pre,
    )
