"""ELECTRA: BERT's blocks over projected embeddings, and a head with GELU where BERT has tanh."""

from __future__ import annotations

from typing import Any

from core.saliency.decomposition.bert import bert_layers
from core.saliency.decomposition.modules import linear_of, text_classifier
from core.saliency.decomposition.stack import Head, Stack


def electra(network: Any) -> Stack:
    """An ELECTRA discriminator; its states begin after the projection of the embeddings."""
    head = text_classifier(network)
    layers = bert_layers(network.base_model)
    if head is None:
        return Stack(layers, None, None)
    return Stack(layers, None, Head("first", linear_of(head.out_proj), linear_of(head.dense), head.activation))
