"""Examples of the toy tasks without end: any micro-batch by its number, and the fixed ones that a run is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from core.training.samples import Sample
from core.training.tasks import Pair, Task
from core.training.vocabulary import END_ID, SPECIALS


@dataclass(frozen=True)
class ToySupply:
    """New pairs of a task for ever: a `Supply`.

    The n-th pair follows from seed and n alone, so batches of 64 and eight times batches of 8 hold the same pairs.
    """

    task: Task
    batch_size: int
    seed: int

    def __getitem__(self, index: int) -> list[Sample]:
        first = index * self.batch_size
        return [
            sample_of(self.task, self.task.pair(_random("training", self.seed, number)))
            for number in range(first, first + self.batch_size)
        ]


def judging_pairs(task: Task, count: int, length: int | None = None) -> list[Pair]:
    """Pairs that a run is judged by: the same for every run, whatever its seed."""
    random = _random("development", length or 0, 0)
    return [task.pair(random, length) for _ in range(count)]


def sample_of(task: Task, pair: Pair) -> Sample:
    """A pair as the ids that the task's tokenizer gives, </s> at the end of both sides."""
    return Sample(ids_of(task, pair.source), ids_of(task, pair.target))


def ids_of(task: Task, text: str) -> tuple[int, ...]:
    """The ids of a text and of </s>; each character of it must be of the task's alphabet."""
    return (*(len(SPECIALS) + task.alphabet.index(character) for character in text), END_ID)


def _random(purpose: str, seed: int, number: int) -> Random:
    # A text as seed, because numbers close to each other give alike first draws.
    return Random(f"{purpose} {seed} {number}")
