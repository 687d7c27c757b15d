"""Small recurrent encoder-decoders with random weights, for tests."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.zoo.recurrent import RecurrentConfig, RecurrentForConditionalGeneration

ATTENTIONS = ("additive", "dot", "general", "concat", "local", "uniform")
SOURCE = torch.tensor([[4, 5, 6, 7, 2], [8, 9, 2, 0, 0]])
TARGET = torch.tensor([[1, 7, 6, 5], [1, 9, 8, 2]])


def small(attention: str = "additive", **options: Any) -> RecurrentForConditionalGeneration:
    """In eval mode, always the same."""
    torch.manual_seed(0)
    config = RecurrentConfig(vocab_size=12, hidden_size=16, embedding_size=8, attention=attention, **options)
    return RecurrentForConditionalGeneration(config).eval()


@torch.no_grad()
def run(
    network: RecurrentForConditionalGeneration, source: Tensor = SOURCE, target: Tensor = TARGET
) -> tuple[Tensor, Tensor]:
    """Logits (B, T, V) and weights (B, T, S)."""
    mask = (source != 0).long()
    output = network(input_ids=source, attention_mask=mask, decoder_input_ids=target, output_attentions=True)
    return output.logits, output.cross_attentions[0][:, 0]
