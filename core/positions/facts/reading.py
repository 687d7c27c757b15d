"""What all readers of a network need: its numbers as float32, where a module stands, and what the config says."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor, nn

ABSENT = "Its numbers are not in memory as plain numbers, so there is nothing to draw."

_ENCODER = re.compile(r"(^|[._])encoder\.")
# Parts of a model that read pictures or sound have positions too, which are not those of the text.
_OTHER_SENSES = re.compile(r"vision|visual|image|audio|speech|patch", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|\.)(\d+)(?=\.|$)")


def numbers(tensor: Any) -> Tensor | None:
    """The tensor as float32 in main memory, only read and so not copied; None where it is quantised or not loaded."""
    plain = isinstance(tensor, Tensor) and type(tensor) in (Tensor, nn.Parameter)
    if not plain or tensor.is_meta or not tensor.is_floating_point():
        return None
    return tensor.detach().to("cpu", torch.float32)


def modules_of_text(network: nn.Module) -> list[tuple[str, nn.Module]]:
    """Path and module of everything that reads text, in the order of the network; a shared module once."""
    return [(path, module) for path, module in network.named_modules() if not _OTHER_SENSES.search(path)]


def stack_of(path: str, network: nn.Module) -> str:
    """ "self" in models of one stack, else the one that a path belongs to, as `core.capture` names streams."""
    if not getattr(getattr(network, "config", None), "is_encoder_decoder", False):
        return "self"
    return "encoder" if _ENCODER.search(path) else "decoder"


def layer_of(path: str) -> int | None:
    """The number of the layer that a path goes through, None outside of layers."""
    found = _NUMBER.search(path)
    return int(found[1]) if found else None


def entry(config: Any, *names: str) -> Any:
    """The first of these entries that the config has and that is not None; None without any."""
    for name in names:
        value = getattr(config, name, None)
        if value is not None:
            return value
    return None


def whole(value: Any) -> int | None:
    """A whole number above 0 as such, None for anything else that a config may hold."""
    return value if type(value) is int and value > 0 else None


def trained_length(config: Any) -> int | None:
    """Positions of the training, as far as the config says."""
    return whole(entry(config, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length"))


def heads_of(config: Any) -> int | None:
    """Heads of a layer."""
    return whole(entry(config, "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"))


def words(value: float) -> str:
    """A number for people: "10,000", "0.25", "6.283"."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"
