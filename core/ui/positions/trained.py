"""How long the texts were that a model was trained on, where it came with this checkout."""

from __future__ import annotations

from collections.abc import Mapping

from core.models.shipped import shipped_called
from core.ui import own_models


def trained_of(model: str) -> int | None:
    """Tokens of the longest text in its training; None where nothing tells. Its config often allows more."""
    found = None if own_models.folder_of(model) is not None else shipped_called(model)
    # What an adapter is added to was trained on other texts.
    if found is None or found.base is not None:
        return None
    recipe = found.told.get("recipe")
    data = recipe.get("data") if isinstance(recipe, Mapping) else None
    # Blocks of one length where lines are joined, else the longest line.
    told = (data.get("length") or data.get("longest")) if isinstance(data, Mapping) else None
    return told if type(told) is int and told > 0 else None


def words_of(trained: int | None, allowed: int | None) -> str:
    """What has to be said where the config allows more positions than the training showed; else ""."""
    if trained is None or allowed is None or trained >= allowed:
        return ""
    return (
        f"Its training had texts of up to {trained:,} tokens, though its config allows {allowed:,}: it never saw a "
        f"position from {trained:,} on."
    )
