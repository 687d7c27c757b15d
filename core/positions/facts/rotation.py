"""The rotation that frequencies in memory and a config's words about them make together."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from core.positions.facts.pairs import layout_of
from core.positions.facts.reading import entry, heads_of, trained_length, whole
from core.positions.objects import Rotation


def parameters_of(config: Any, kind: str | None) -> dict[str, Any]:
    """What the config says of a kind of layers, or of all: `rope_parameters`, {} where it says nothing."""
    held = entry(config, "rope_parameters", "rope_scaling")
    if kind is not None and isinstance(held, dict):
        held = held.get(kind)
    return held if isinstance(held, dict) else {}


def trained_before(config: Any, parameters: dict[str, Any]) -> int | None:
    """Positions of the training before scaling."""
    return whole(parameters.get("original_max_position_embeddings")) or trained_length(config)


def rotation_of(frequencies: Tensor, module: nn.Module, config: Any, kind: str | None) -> Rotation:
    """The rotation of frequencies float64 (P,) that a module holds for a kind of layers, or for all."""
    parameters = parameters_of(config, kind)
    named = str(parameters.get("rope_type") or parameters.get("type") or "default")
    scaling = "none" if named == "default" else named
    factor = _factor(config, parameters, scaling)
    base = positive(parameters.get("rope_theta")) or positive(entry(config, "rope_theta", "rotary_emb_base"))
    if base is None and scaling == "none":
        base = _base_of(frequencies)
    return Rotation(
        plain=_plain(frequencies, base, scaling, factor),
        frequencies=frequencies,
        width=_width(config, len(frequencies)),
        layout=layout_of(module, config),
        scaling=scaling,
        factor=factor,
        trained=trained_before(config, parameters),
        temperature=positive(getattr(module, f"{kind}_attention_scaling" if kind else "attention_scaling", 1.0)) or 1.0,
        base=base,
    )


def positive(value: Any) -> float | None:
    """A finite number above 0 as such, None for anything else that a config may hold."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value > 0 else None


def powers(base: float, pairs: int) -> Tensor:
    """base^(-i / P) for each of P pairs: float64 (P,)."""
    return base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)


def _factor(config: Any, parameters: dict[str, Any], scaling: str) -> float:
    """How many times longer than in training the texts are. Phi's configs give both lengths and no factor."""
    if scaling == "none":
        return 1.0
    first, last = whole(parameters.get("original_max_position_embeddings")), trained_length(config)
    told = positive(parameters.get("factor"))
    return told or (max(1.0, last / first) if first and last else 1.0)


def _width(config: Any, pairs: int) -> int:
    """Of a head's queries and keys."""
    told = whole(entry(config, "qk_head_dim", "head_dim"))
    width, heads = whole(entry(config, "hidden_size", "n_embd", "d_model")), heads_of(config)
    shared = width // heads if width and heads else 0
    return max(told or shared, 2 * pairs)


def _base_of(frequencies: Tensor) -> float | None:
    """The base that frequencies themselves tell, by their second: base^(-1 / P)."""
    if len(frequencies) < 2 or not 0 < float(frequencies[1]) < 1:
        return None
    return float(f"{float(frequencies[1]) ** -len(frequencies):.4g}")


def _plain(frequencies: Tensor, base: float | None, scaling: str, factor: float) -> Tensor:
    """Before scaling. "proportional" leaves pairs at rest, and has other frequencies than its base says."""
    if scaling in ("linear", "proportional"):
        return frequencies * factor
    return frequencies if scaling == "none" or base is None else powers(base, len(frequencies))
