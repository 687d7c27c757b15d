"""What all readers of a network need: its numbers as float32, where a module stands, and what the config says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

ABSENT = "Its numbers are not in memory as plain numbers, so there is nothing to draw."

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
    """Path and module of everything that reads text, in the order of the network; a shared module once a stack."""
    found: dict[tuple[nn.Module, str], str] = {}
    stack = stacks_of(network)
    for path, module in network.named_modules(remove_duplicate=False):
        if not _OTHER_SENSES.search(path):
            found.setdefault((module, stack(path)), path)
    return [(path, module) for (module, _), path in found.items()]


def stack_of(path: str, network: nn.Module) -> str:
    """ "self" in models of one stack, else the one that a path is part of, as `core.capture` names streams."""
    return stacks_of(network)(path)


def stacks_of(network: nn.Module) -> Callable[[str], str]:
    """The stack of each path: what the network itself calls its encoder, or what its attentions were seen to be."""
    if not getattr(getattr(network, "config", None), "is_encoder_decoder", False):
        return lambda path: "self"
    encoder: Any = network.get_encoder() if hasattr(network, "get_encoder") else network  # type: ignore[operator]
    if encoder is not network:
        root = next(path for path, module in network.named_modules() if module is encoder)
        return lambda path: "encoder" if _within(path, root) else "decoder"
    seen = {path: stream for path, each in network.named_modules() if (stream := getattr(each, "attention_stream", ""))}

    def stack(path: str) -> str:
        while path and not any(_within(at, path) for at in seen):
            path = path.rpartition(".")[0]
        return "encoder" if {stream for at, stream in seen.items() if _within(at, path)} == {"encoder"} else "decoder"

    return stack


def _within(path: str, root: str) -> bool:
    return f"{path}.".startswith(f"{root}.") or not root


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
