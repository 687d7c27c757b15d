"""How long a run will take, told before it starts: rough, from seconds measured on one of two cores of 2025."""

from __future__ import annotations

from core.training.recipe import Recipe
from core.training.settings import Settings
from core.training.tasks import Task

# Seconds of one step at width 64, with 64 sources of up to 12 characters.
RECURRENT_STEP = 0.015
TRANSFORMER_STEP, TRANSFORMER_LAYER = 0.006, 0.008
# Seconds of one evaluation, most of it the free writing, and of one frame of the film.
EVALUATION, FRAME = 0.25, 0.01


def estimate(recipe: Recipe) -> float:
    """Seconds that a run may take on a laptop's processor; right to a factor of about two."""
    options, longer = recipe.options, _characters(recipe.toy) / 12
    # Half of a small step goes into what does not grow with the batch, or with the width.
    batch = 0.5 + 0.5 * options.batch_size / 64
    width = 0.6 + 0.4 * (recipe.settings.width / 64) ** 2
    step = _step(recipe.settings) * longer * batch * width * options.accumulate
    looks = EVALUATION * longer / options.evaluate_every + FRAME / options.snapshot_every
    return options.steps * (step + looks)


def _step(settings: Settings) -> float:
    if settings.is_transformer:
        return TRANSFORMER_STEP + TRANSFORMER_LAYER * settings.layers
    return RECURRENT_STEP * (0.9 + 0.1 * settings.layers)


def _characters(task: Task) -> float:
    """Characters that a batch is padded to."""
    return task.lengths[1] if task.lengths else task.longest * 0.6
