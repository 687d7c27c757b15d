"""BERT and those built of the same blocks: RoBERTa, XLM-RoBERTa, CamemBERT (Post-LN encoders)."""

from __future__ import annotations

from typing import Any

import torch

from core.saliency.decomposition.modules import linear_of, norm_of, text_classifier
from core.saliency.decomposition.stack import Head, Layer, Stack


def bert(network: Any) -> Stack:
    """A BERT; its classifier reads the pooler's output."""
    head = text_classifier(network)
    base = network.base_model
    pooled = None if head is None else Head("first", linear_of(head), linear_of(base.pooler.dense), torch.tanh)
    return Stack(bert_layers(base), None, pooled)


def roberta(network: Any) -> Stack:
    """A RoBERTa; its head has the pooler's layer of its own."""
    head = text_classifier(network)
    layers = bert_layers(network.base_model)
    return Stack(layers, None, None if head is None else Head("first", *_two_layers(head), torch.tanh))


def _two_layers(head: Any) -> tuple[Any, Any]:
    return linear_of(head.out_proj), linear_of(head.dense)


def bert_layers(base: Any) -> tuple[Layer, ...]:
    """The layers of BERT, RoBERTa or ELECTRA without its head."""
    return tuple(_layer(layer) for layer in base.encoder.layer)


def _layer(layer: Any) -> Layer:
    attention = layer.attention
    return Layer(
        heads=attention.self.num_attention_heads,
        value=linear_of(attention.self.value),
        output=linear_of(attention.output.dense),
        attention_norm=norm_of(attention.output.LayerNorm),
        expand=linear_of(layer.intermediate.dense),
        activation=layer.intermediate.intermediate_act_fn,
        contract=linear_of(layer.output.dense),
        feed_forward_norm=norm_of(layer.output.LayerNorm),
        pre=False,
    )
