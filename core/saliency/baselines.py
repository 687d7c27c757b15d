"""What stands for the absence of a word: the baseline of path methods, of Shapley values and of occlusion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.model import Model
from core.models.shipped import shipped_called

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


def met_unknown(model: Model) -> str:
    """Whether a text with the unknown token in place of a word is one that the model learnt from."""
    options = training_of(model)
    if options is None:
        return f"Whether {model.name} met the unknown token in place of words in training is not known."
    if options.get("word_dropout"):
        return f"{model.name} met the unknown token in place of words in training."
    return f"{model.name} never met the unknown token in place of words in training, so such a text is strange to it."


def lost_words(model: Model) -> bool:
    """Whether words were replaced by the unknown token when one of our models was trained, in whole shares of texts."""
    options = training_of(model) or {}
    share = options.get("word_dropout")
    return isinstance(share, int | float) and share > 0 and options.get("dropping") == "texts"


def training_of(model: Model) -> Mapping[str, Any] | None:
    """The options that one of our models was trained with; None where nobody knows."""
    told = shipped_called(model.name)
    # An upload may be called like one of ours, and what an adapter is added to was trained by others.
    if told is None or told.base is not None or not model.card.family.startswith("headlight_"):
        return None
    recipe = told.told.get("recipe")
    options = recipe.get("options") if isinstance(recipe, dict) else None
    return options if isinstance(options, dict) else None


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
