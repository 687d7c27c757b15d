"""What a recipe of the command line is, and what it makes of its data: a course that only has to be run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.training.card import Card
from core.training.history import Record
from core.training.trainer import Trainer

Say = Callable[[str], None]
# How many bad lines are named one by one.
NAMED = 10


@dataclass(frozen=True)
class Course:
    """A trainer that is ready, and what writes the trained model and its card into a folder and gives the card."""

    trainer: Trainer
    save: Callable[[Path, Record], Card]


@dataclass(frozen=True)
class CommandRecipe:
    """One word of `python -m core.training`.

    parts: frozen dataclasses with the values that --set may change. begin: a course for these values, the data,
    which is None where needs_data is False, and a device; it says what it reads.
    """

    name: str
    summary: str
    parts: tuple[Any, ...]
    begin: Callable[[tuple[Any, ...], Path | None, str, Say], Course]
    needs_data: bool = True


def report_bad(bad: tuple[object, ...], say: Say) -> None:
    """Name the lines that were skipped; of many only the first ones, and their number."""
    for line in bad[:NAMED]:
        say(str(line))
    if len(bad) > NAMED:
        say(f"… and {len(bad) - NAMED:,} more lines skipped.")
