"""How long a run will take, told before it starts: rough, from seconds measured on one of two cores of 2025."""

from __future__ import annotations

from core.training.costs import evaluation_seconds, step_seconds
from core.training.frames import frames_apart
from core.training.recipe import Recipe

# Seconds of one frame of the film.
FRAME = 0.01


def estimate(recipe: Recipe) -> float:
    """Seconds that a run may take on a laptop's processor; right to a factor of about two."""
    options = recipe.options
    looks = evaluation_seconds(recipe) / options.evaluate_every + FRAME / frames_apart(recipe)
    return options.steps * (step_seconds(recipe) + looks)
