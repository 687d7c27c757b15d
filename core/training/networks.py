"""From settings to an in-house network of `core.zoo`, its weights drawn from a seed."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from core.training.settings import Settings


def build_network(
    settings: Settings, vocabulary: int, seed: int, *, tied: bool = False, longest: int = 512
) -> PreTrainedModel:
    """A sequence-to-sequence network with new weights, on the CPU.

    vocabulary: number of ids, shared by source and target. seed: of the weights; the caller's random state is kept.
    tied: one embedding table for source, target and output. longest: positions that a learned table has rows for.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if settings.is_transformer:
            return _transformer(settings, vocabulary, tied, longest)
        return _recurrent(settings, vocabulary, tied)


def _recurrent(settings: Settings, vocabulary: int, tied: bool) -> PreTrainedModel:
    from core.zoo.recurrent import RecurrentConfig, RecurrentForConditionalGeneration

    config = RecurrentConfig(
        vocab_size=vocabulary,
        hidden_size=settings.width,
        embedding_size=settings.width,
        cell=settings.cell,
        num_hidden_layers=settings.layers,
        bidirectional=settings.bidirectional,
        attention=settings.architecture,
        dropout=settings.dropout,
        tie_word_embeddings=tied,
    )
    return RecurrentForConditionalGeneration(config)


def _transformer(settings: Settings, vocabulary: int, tied: bool, longest: int) -> PreTrainedModel:
    from core.zoo.transformer import TransformerConfig, TransformerForConditionalGeneration

    config = TransformerConfig(
        is_encoder_decoder=True, tie_word_embeddings=tied, num_decoder_layers=settings.layers,
        **transformer_sizes(settings, vocabulary, longest),
    )  # fmt: skip
    return TransformerForConditionalGeneration(config)


def transformer_sizes(settings: Settings, vocabulary: int, longest: int) -> dict[str, Any]:
    """What every kind of Transformer takes from the settings, as arguments of its config."""
    return {
        "vocab_size": vocabulary,
        "hidden_size": settings.width,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "positions": settings.positions,
        "norm": settings.norm,
        "scaled": settings.scaled,
        "dropout": settings.dropout,
        "max_position_embeddings": longest,
    }
