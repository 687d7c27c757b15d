"""A folder that `python -m core.training` wrote, opened to be shipped: what it is, and how it was made."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.training.recipes import RECIPES


def told_by(folder: Path) -> dict[str, Any]:
    """The training.json of a folder. Raises HeadlightError where there is none that can be read."""
    try:
        told = json.loads((folder / "training.json").read_text(encoding="utf-8"))
        if not {"title", "recipe", "scores", "history"} <= told.keys():
            raise ValueError
    except (OSError, ValueError, AttributeError) as error:
        raise HeadlightError(
            f"{folder} has no training.json of a finished training: give --from its folder."
        ) from error
    return dict(told)


def retraining(recipe: Mapping[str, Any], data: str, out: str) -> str:
    """The command that trains the same model again: the seed, and every value that is not the recipe's own.

    recipe: as training.json has it, "task" beside groups of values.
    """
    task = str(recipe["task"])
    values = {name: value for group in recipe.values() if isinstance(group, Mapping) for name, value in group.items()}
    usual = {name: value for part in RECIPES[task].parts for name, value in asdict(part).items()}
    changed = [
        shlex.quote(f"{name}={value}")
        for name, value in values.items()
        if name == "seed" or (name in usual and usual[name] != value)
    ]
    start = f"python -m core.training {task} --data {shlex.quote(data)} --out {shlex.quote(out)}"
    return " ".join([start, "--set", *changed])
