"""Tiny Transformers with random weights that attend sharply, and texts to read for each of the three."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.zoo.transformer import (
    TransformerConfig,
    TransformerForCausalLM,
    TransformerForConditionalGeneration,
    TransformerForSequenceClassification,
)
from tests.tiny import batch, sharpen, two_stack_inputs

VOCABULARY = 60
MODELS = {
    "encoder-decoder": TransformerForConditionalGeneration,
    "classifier": TransformerForSequenceClassification,
    "language model": TransformerForCausalLM,
}


def config(**changes: Any) -> TransformerConfig:
    sizes = dict(vocab_size=VOCABULARY, hidden_size=16, num_attention_heads=4, dropout=0.0, num_labels=3)
    return TransformerConfig(**(sizes | changes))


def network(kind: str, **changes: Any) -> PreTrainedModel:
    """In evaluation mode; the same weights whenever it is called with the same arguments."""
    model = MODELS[kind](config(**changes))
    sharpen(model)
    return model.eval()


def inputs(kind: str, padding: str = "right") -> dict[str, Tensor]:
    """Two texts; padding is "none", or the side on which the second is filled up."""
    given = two_stack_inputs(padding) if kind == "encoder-decoder" else batch(padding)
    return {name: ids % VOCABULARY for name, ids in given.items()}


def real_rows(kind: str, given: dict[str, Tensor]) -> Tensor:
    """Which rows of the logits are no padding: bool (B, T), or (B,) for a classifier."""
    if kind == "classifier":
        return torch.ones(len(given["input_ids"]), dtype=torch.bool)
    return given.get("decoder_attention_mask", given["attention_mask"]).bool()
