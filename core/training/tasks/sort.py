"""Sort: the target is the source in alphabetical order; no letter comes twice, so the gold alignment is unique."""

from __future__ import annotations

from random import Random

from core.training.tasks.letters import LETTERS, distinct_letters
from core.training.tasks.task import Pair, Task, one_to_one


def sorted_pair(source: str) -> Pair:
    """A string of different letters, its letters in alphabetical order, and where each of them stood."""
    return one_to_one(source, sorted(range(len(source)), key=source.__getitem__))


def _make(random: Random, length: int) -> Pair:
    return sorted_pair(distinct_letters(random, length))


TASK = Task(
    name="sort",
    title="Sort",
    summary="Write different letters in alphabetical order. A bag of letters fits into one vector, so this can be "
    "learnt without attention.",
    alphabet=LETTERS,
    shown=sorted_pair("blockhead"),
    make=_make,
    longest=16,
)
