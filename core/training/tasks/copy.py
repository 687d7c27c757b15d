"""Copy: the target is the source; the gold alignment is the diagonal."""

from __future__ import annotations

from random import Random

from core.training.tasks.letters import LETTERS, any_letters
from core.training.tasks.task import Pair, Task, one_to_one


def copied(source: str) -> Pair:
    """A string, itself, and the diagonal."""
    return one_to_one(source, list(range(len(source))))


def _make(random: Random, length: int) -> Pair:
    return copied(any_letters(random, length))


TASK = Task(
    name="copy",
    title="Copy",
    summary="Write the letters as they are. The gold alignment is the diagonal.",
    alphabet=LETTERS,
    shown=copied("backgammon"),
    make=_make,
    longest=16,
)
