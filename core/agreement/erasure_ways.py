"""How words are removed from a text, which ways a model allows, and which suits it best."""

from __future__ import annotations

from core.models.model import Model
from core.saliency.baselines import lost_words
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


__all__ = ["ATTENTION", "DELETE", "MASK", "UNKNOWN", "WAYS", "ways_of", "why_not"]
