"""DistilBERT: Post-LN blocks under names of their own, and a head with a ReLU."""

from __future__ import annotations

from typing import Any

import torch

from core.saliency.decomposition.modules import linear_of, norm_of, text_classifier
from core.saliency.decomposition.stack import Head, Layer, Stack


def distilbert(network: Any) -> Stack:
    """A DistilBERT; its classifier reads the first token after `pre_classifier`."""
    layers = tuple(_layer(layer) for layer in network.base_model.transformer.layer)
    if text_classifier(network) is None:
        return Stack(layers, None, None)
    head = Head("first", linear_of(network.classifier), linear_of(network.pre_classifier), torch.relu)
    return Stack(layers, None, head)


def _layer(layer: Any) -> Layer:
    return Layer(
        heads=layer.attention.n_heads,
        value=linear_of(layer.attention.v_lin),
        output=linear_of(layer.attention.out_lin),
        attention_norm=norm_of(layer.sa_layer_norm),
        expand=linear_of(layer.ffn.lin1),
        activation=layer.ffn.activation,
        contract=linear_of(layer.ffn.lin2),
        feed_forward_norm=norm_of(layer.output_layer_norm),
        pre=False,
    )
