"""The first short texts that a network reads: they settle how its attention is seen."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from core.capture import has_attention, prepare
from core.models.answers import answer_kind
from core.models.first_text import first_ids
from core.text import TextEncoder

LENGTH = 8
_WORDS = {
    "sdpa": "the library's own attention function, wrapped",
    "row blocks": "the library's attention interface, computed in blocks of rows",
    "tap": "watching torch while the model computes it",
}


def settled(network: PreTrainedModel, encoder: TextEncoder, device: str) -> str:
    """Choose how the network's attention is seen, and return that in words for the load report.

    Call it once, before threads share the network: it may change its attention implementation. "" where there is no
    attention to read.
    Raises what the network raises on a text.
    """
    path = prepare(network, probe_inputs(network, encoder, device))
    if not has_attention(network.config):
        return ""
    return " and ".join(_WORDS.get(part, part) for part in path.split(" and "))


def probe_inputs(network: PreTrainedModel, encoder: TextEncoder, device: str) -> dict[str, Tensor]:
    """Two short texts, the second padded, as arguments of the network's forward."""
    of_pairs = answer_kind(network).of_two_texts
    short = first_ids(encoder, min(LENGTH, encoder.max_length) * 2 // 3, of_pairs)
    long = first_ids(encoder, min(max(LENGTH, len(short) + 2), encoder.max_length), of_pairs)
    rows = [*long], [*short, *[_first_of(network, "pad_token_id")] * (len(long) - len(short))]
    ids = torch.tensor([[_within(number, network) for number in row] for row in rows], device=device)  # (2, T)
    mask = torch.ones_like(ids)
    mask[1, len(short) :] = 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    if network.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = torch.full_like(ids, _first_of(network, "decoder_start_token_id", "bos_token_id"))
    accepted = inspect.signature(network.forward).parameters
    return {name: tensor for name, tensor in inputs.items() if name in accepted}


def _first_of(network: PreTrainedModel, *names: str) -> int:
    """The first special token of these that the network's configs name, or the first token of all."""
    configs: tuple[Any, ...] = (getattr(network, "generation_config", None), network.config)
    named = (getattr(config, name, None) for name in names for config in configs)
    return _within(int(next((number for number in named if isinstance(number, int)), 0)), network)


def _within(number: int, network: PreTrainedModel) -> int:
    """An id that the network has an embedding for: another one would end all work on a GPU for good."""
    embedding: Any = network.get_input_embeddings()
    rows = len(embedding.weight) if isinstance(embedding, nn.Embedding) else 0
    return number % rows if rows else number
