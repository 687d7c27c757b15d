"""How long the texts were that a model was trained on, where it came with this checkout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.models.shipped import shipped_called
from core.positions.objects import Rotation
from core.ui import own_models

if TYPE_CHECKING:
    from core.positions.facts import Fact

# How lines of facts begin that count the pairs which the config's positions leave without a whole turn.
UNTURNED = "no whole turn in"


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


def lines_of(fact: Fact, trained: int) -> tuple[tuple[str, str], ...]:
    """The lines of a fact, with the length of the training in place of what its config says of it."""
    kept = tuple(line for line in fact.lines if not line[0].startswith(UNTURNED))
    turns: tuple[tuple[str, str], ...] = ()
    if isinstance(fact.thing, Rotation) and len(kept) < len(fact.lines):
        from core.positions.measures import unturned

        pairs = len(fact.thing.frequencies)
        slow = round(pairs * unturned(fact.thing.frequencies, trained))
        turns = ((f"{UNTURNED} {trained:,} positions", f"{slow} of {pairs} pairs"),)
    return (*kept, ("trained on", f"up to {trained:,} tokens"), *turns)
