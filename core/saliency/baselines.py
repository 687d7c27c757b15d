"""What stands for the absence of a word: the baseline of path methods, of Shapley values and of occlusion."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.model import Model

MASK, UNKNOWN, ZERO, MEAN, PADDING = "mask", "unknown", "zero", "mean", "padding"
BASELINES = (MASK, UNKNOWN, ZERO, MEAN, PADDING)


def default_baseline(model: Model) -> str:
    """[MASK] where the model learnt to fill it in, the unknown token of our own models, else the mean embedding.

    Our classifiers are trained with words dropped to the unknown token, so to them it is no strange input.
    """
    if replacement_id(model, MASK) is not None:
        return MASK
    is_own = model.card.family.startswith("headlight_")
    return UNKNOWN if is_own and replacement_id(model, UNKNOWN) is not None else MEAN


def baselines_of(model: Model) -> tuple[str, ...]:
    """Those that the model has."""
    return tuple(name for name in BASELINES if name in (ZERO, MEAN) or replacement_id(model, name) is not None)


def replacement_id(model: Model, baseline: str) -> int | None:
    """The token that stands for an absent word; None where the baseline is no token, or the model has none.

    A tokenizer may have one that the model has no embedding for.
    """
    padding = getattr(model.network.config, "pad_token_id", None)
    token = {MASK: model.encoder.mask_id, UNKNOWN: model.encoder.unknown_id, PADDING: padding}.get(baseline)
    return token if isinstance(token, int) and 0 <= token < len(_table(model)) else None


def baseline_embedding(model: Model, baseline: str) -> Tensor:
    """(E,) the embedding of the baseline. Raises HeadlightError where the model has no such token."""
    table = _table(model)
    if baseline == ZERO:
        return torch.zeros_like(table[0])
    if baseline == MEAN:
        return table.detach().float().mean(dim=0).to(table.dtype)  # (V, E) -> (E,)
    token = replacement_id(model, baseline)
    if token is None:
        others = ", ".join(baselines_of(model))
        raise HeadlightError(f"{model.name} has no {baseline} token to hide words with: choose one of {others}.")
    with torch.no_grad():
        embedding: Any = model.network.get_input_embeddings()
        embedded: Tensor = embedding(torch.tensor([token], device=table.device))  # (1, E)
    return embedded[0]


def _table(model: Model) -> Tensor:
    """(V, E) the embeddings."""
    embedding: Any = model.network.get_input_embeddings()
    table: Tensor = embedding.weight
    return table
