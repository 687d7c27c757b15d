"""Which layers of a model with rotary positions turn their queries and keys: not all do, nor all alike."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.positions.facts.reading import layer_of

# Their layers that see the whole text turn nothing.
_ONLY_SLIDING = {"cohere2", "cohere2_moe", "exaone4", "exaone_moe"}
_SLIDING = "sliding_attention"


def layers_of(network: nn.Module, path: str, kind: str | None) -> tuple[int, ...] | None:
    """Layers that use the frequencies of a module, None where all do.

    kind: the layers' own, as the config's `layer_types` has it, where the module holds frequencies for several
    """
    number = layer_of(path)
    if number is not None:
        return (number,)
    kinds = _kinds(network)
    if kind is not None:
        return tuple(i for i, own in enumerate(kinds) if own == kind) or None
    without = set(layers_without(network))
    return tuple(i for i in range(_count(network)) if i not in without) if without else None


def layers_without(network: nn.Module) -> tuple[int, ...]:
    """Layers that turn nothing."""
    asked = [(path, module) for path, module in network.named_modules() if hasattr(module, "use_rope")]
    numbers = {layer_of(path) for path, module in asked if not module.use_rope}
    if numbers:
        return tuple(sorted(number for number in numbers if number is not None))
    config = getattr(network, "config", None)
    if getattr(config, "model_type", "") in _ONLY_SLIDING and getattr(config, "sliding_window", None):
        return tuple(i for i, own in enumerate(_kinds(network)) if own != _SLIDING)
    return ()


def _kinds(network: nn.Module) -> list[Any]:
    return list(getattr(getattr(network, "config", None), "layer_types", None) or [])


def _count(network: nn.Module) -> int:
    return int(getattr(getattr(network, "config", None), "num_hidden_layers", 0))
