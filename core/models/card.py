"""What is known about a loaded model before it reads anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_LEARNED = {"albert", "bert", "bart", "camembert", "distilbert", "electra", "gpt2", "opt", "roberta", "xlm-roberta"}


@dataclass(frozen=True)
class ModelCard:
    """Facts about a model, read from its config and from one probe run.

    family            transformers' model type, such as "bert"
    layers, heads     by stream; heads is the largest count where layers differ
    key_value_heads   by stream; fewer than heads where query heads share them
    widths            by stream; width of one head's queries and keys, 0 where only its weights are kept
    positions         positional scheme: "learned", "rotary", "relative bias", "ALiBi" or "unknown"
    max_tokens        tokens it reads, special ones included
    writes            whether it can go on by itself: decoders and encoder-decoders
    """

    name: str
    family: str
    streams: tuple[str, ...]
    layers: dict[str, int]
    heads: dict[str, int]
    key_value_heads: dict[str, int]
    widths: dict[str, int]
    positions: str
    max_tokens: int
    writes: bool


def positional_scheme(config: Any) -> str:
    """The positional scheme that a transformers config describes."""
    if getattr(config, "alibi", False):
        return "ALiBi"
    if getattr(config, "rope_parameters", None) or getattr(config, "rope_theta", None):
        return "rotary"
    if getattr(config, "relative_attention_num_buckets", None):
        return "relative bias"
    return "learned" if config.model_type in _LEARNED else "unknown"
