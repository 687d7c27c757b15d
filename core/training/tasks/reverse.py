"""Reverse: the target is the source from its end; the gold alignment is the other diagonal."""

from __future__ import annotations

from random import Random

from core.training.tasks.letters import LETTERS, any_letters
from core.training.tasks.task import Pair, Task, one_to_one


def reversed_pair(source: str) -> Pair:
    """A string, its letters from the last to the first, and the diagonal from top right to bottom left."""
    return one_to_one(source, list(range(len(source)))[::-1])


def _make(random: Random, length: int) -> Pair:
    return reversed_pair(any_letters(random, length))


TASK = Task(
    name="reverse",
    title="Reverse",
    summary="Write the letters from the last to the first. The gold alignment is the diagonal from top right.",
    alphabet=LETTERS,
    shown=reversed_pair("backgammon"),
    make=_make,
    longest=16,
)
