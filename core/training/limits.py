"""What a page should not begin: runs that would take its memory, or keep everybody else waiting, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.training.costs import batch_bytes, evaluation_seconds, step_seconds, weight_bytes, weights
from core.training.pace import estimate
from core.training.recipe import Recipe

# Seconds of one step and of one evaluation: others get a turn on the device only between them, and Stop acts then.
LONGEST_STEP, LONGEST_EVALUATION, LONGEST_RUN = 1.5, 4.0, 3600.0
# The estimates of memory are right to a factor of about two, so that this much more must be free.
SPARE = 1.5


def refusal(recipe: Recipe, free: int | None, pace: float = 1.0) -> str | None:
    """Why a run of this recipe must not begin on a page that others use too, in one sentence; None where it may.

    free: bytes of memory that are free on the device, None where nobody knows. pace: how many times as long as
    estimated a run takes here, measured or known, for instance 0.1 on a GPU.
    """
    return refusal_of((recipe,), free, pace)


def refusal_of(recipes: Sequence[Recipe], free: int | None, pace: float = 1.0) -> str | None:
    """The same for runs that are compared: they train in turns, and their networks are in memory together."""
    found = (_memory(recipes, free), *(_turn(recipe, pace) for recipe in recipes), _whole(recipes, pace))
    return next((sentence for sentence in found if sentence), None)


def memory_needed(recipes: Sequence[Recipe]) -> int:
    """Bytes that runs which train in turns may need together, estimated: all weights, and the largest batch."""
    return sum(map(weight_bytes, recipes)) + max(map(batch_bytes, recipes), default=0)


def _memory(recipes: Sequence[Recipe], free: int | None) -> str | None:
    needed = SPARE * memory_needed(recipes)
    if free is None or needed <= free:
        return None
    largest = max(recipes, key=batch_bytes)
    many = sum(weights(recipe.settings) for recipe in recipes)
    of_batch = max(map(batch_bytes, recipes)) > sum(map(weight_bytes, recipes))
    return (
        f"Training may need {_size(needed)} of memory, for {many / 1e6:.1f} million weights and a batch of"
        f" {largest.options.batch_size:,}, and {_size(free)} are free: lower"
        f" {'batch or width' if of_batch else 'width or layers'}."
    )


def _turn(recipe: Recipe, pace: float) -> str | None:
    step, evaluation = pace * step_seconds(recipe), pace * evaluation_seconds(recipe)
    if step > LONGEST_STEP:
        lower = "batch, accumulation or width" if recipe.options.accumulate > 1 else "batch or width"
        return f"One step would take about {_time(step)}, and nobody else would get a turn: lower {lower}, {_ELSE}."
    if evaluation > LONGEST_EVALUATION:
        lower = "width, layers or heads" if recipe.settings.is_transformer else "width or layers"
        return (
            f"One evaluation would take about {_time(evaluation)}, and nobody else would get a turn: lower {lower},"
            f" {_ELSE}."
        )
    return None


def _whole(recipes: Sequence[Recipe], pace: float) -> str | None:
    seconds = pace * sum(map(estimate, recipes))
    if seconds <= LONGEST_RUN:
        return None
    return f"Training would take about {_time(seconds)}, and an hour is the most here: lower steps or batch, {_ELSE}."


_ELSE = "or train on the command line"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.1f} s"
    return f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


def _size(number: float) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:,.0f} MB"
