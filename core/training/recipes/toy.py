"""The toy tasks on the command line: the same runs as on the Training page, and no data needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.training.defaults import default_recipe
from core.training.prepare import prepared
from core.training.recipe import Recipe
from core.training.recipes.course import CommandRecipe, Course, Say
from core.training.saving import save
from core.training.tasks import TASKS, Task


def toy_recipe(task: Task) -> CommandRecipe:
    """The command-line recipe of a toy task."""
    default = default_recipe(task.name, "additive")

    def begin(parts: tuple[Any, ...], data: Path | None, device: str, say: Say) -> Course:
        settings, options = parts
        made = prepared(Recipe(task.name, settings, options), device)
        return Course(made.trainer, lambda folder, history: save(made, folder, history))

    return CommandRecipe(task.name, task.summary, (default.settings, default.options), begin, needs_data=False)


RECIPES = tuple(toy_recipe(task) for task in TASKS.values())
