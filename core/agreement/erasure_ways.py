"""How words are removed from a text, which ways a model allows, and which suits it best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.models.model import Model
from core.models.shipped import shipped_called
from core.saliency.perturbation import deletion, occlusion_attention, occlusion_mask, occlusion_unknown
from core.saliency.perturbation.versions import ATTENTION, DELETE, MASK, UNKNOWN, WAYS

_METHODS = {
    UNKNOWN: occlusion_unknown.METHOD,
    MASK: occlusion_mask.METHOD,
    ATTENTION: occlusion_attention.METHOD,
    DELETE: deletion.METHOD,
}


def why_not(model: Model, way: str) -> str:
    """Why words cannot be removed in a way; "" where they can. Raises KeyError for an unknown way."""
    return _METHODS[way].refuse(model)


def ways_of(model: Model) -> tuple[str, ...]:
    """Those that the model allows, the one that suits it best first."""
    best = (UNKNOWN,) if lost_words(model) else ()
    # Hiding from attention leaves every other word in its place (Hase and others 2021).
    order = dict.fromkeys((*best, ATTENTION, MASK, UNKNOWN, DELETE))
    return tuple(way for way in order if not why_not(model, way))


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


__all__ = ["ATTENTION", "DELETE", "MASK", "UNKNOWN", "WAYS", "lost_words", "training_of", "ways_of", "why_not"]
