"""How many frames a film may have: few enough for a browser to hold, however often the recipe asks for one."""

from __future__ import annotations

from core.training.recipe import Recipe

MOST_FRAMES = 200
MOST_BYTES = 64 * 2**20
_BYTES_A_WEIGHT = 4


def frames_apart(recipe: Recipe) -> int:
    """Steps between two frames: as the recipe asks, or more, so that there are at most 200 frames and 64 MB of them.

    The frames before the first step and after the last one come on top.
    """
    most = max(1, min(MOST_FRAMES, MOST_BYTES // frame_bytes(recipe)))
    return max(recipe.options.snapshot_every, -(-recipe.options.steps // most))


def frame_bytes(recipe: Recipe) -> int:
    """Bytes of one frame, of a weight for each layer, head, target and source token, </s> included."""
    settings, shown = recipe.settings, recipe.toy.shown
    maps = settings.layers * settings.heads if settings.is_transformer else 1
    return maps * (len(shown.target) + 1) * (len(shown.source) + 1) * _BYTES_A_WEIGHT
