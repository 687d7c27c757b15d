"""Examples of the toy tasks without end: any micro-batch by its number, and the fixed ones that a run is judged by."""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random

from core.training.samples import Sample
from core.training.tasks import Pair, Task
from core.training.vocabulary import END_ID, SPECIALS

# Pairs that a run is judged by: while it trains, and of each length at its end.
JUDGED, JUDGED_PER_LENGTH = 64, 100
LENGTHS = (4, 8, 12)
# With buckets of like length, steps whose pairs are drawn together: enough to find like lengths, and of large batches
# fewer, because others wait meanwhile.
STEPS_A_POOL, PAIRS_A_POOL = 32, 8192


class ToySupply:
    """New pairs of a task for ever, none of them with a source that a run is judged or filmed by: a `Supply`.

    Pair number n follows from seed and n alone, so batches of 64 and eight times batches of 8 hold the same pairs. With
    `bucketing` the pairs of up to 32 steps are sorted by length; a step, of `accumulate` batches, reads like lengths.
    """

    def __init__(self, task: Task, batch_size: int, seed: int, *, accumulate: int = 1, bucketing: bool = False) -> None:
        self._task, self._seed = task, seed
        self._size, self._accumulate = batch_size, accumulate
        self._held_out = held_out(task)
        self._bucketing = bucketing
        self._steps = max(1, min(STEPS_A_POOL, PAIRS_A_POOL // (batch_size * accumulate)))
        self._pool = lru_cache(maxsize=1)(self._drawn_pool)

    def __getitem__(self, index: int) -> list[Sample]:
        if not self._bucketing:
            return self._drawn(index * self._size, self._size)
        step, part = divmod(index, self._accumulate)
        pool, place = divmod(step, self._steps)
        return self._pool(pool)[place][part * self._size : (part + 1) * self._size]

    def _drawn(self, first: int, count: int) -> list[Sample]:
        return [sample_of(self._task, self._pair(number)) for number in range(first, first + count)]

    def _pair(self, number: int) -> Pair:
        """Drawn again from the same random numbers until nothing is judged by it."""
        random = _random("training", self._seed, number)
        pair = self._task.pair(random)
        while pair.source in self._held_out:
            pair = self._task.pair(random)
        return pair

    def _drawn_pool(self, number: int) -> list[list[Sample]]:
        """The samples of each step of a pool, the steps in random order."""
        size = self._size * self._accumulate
        samples = self._drawn(number * self._steps * size, self._steps * size)
        samples.sort(key=lambda sample: (len(sample.source), len(sample.target)))
        steps = [samples[start : start + size] for start in range(0, len(samples), size)]
        _random("order", self._seed, number).shuffle(steps)
        return steps


def judged_by_length(task: Task) -> dict[int, list[Pair]]:
    """Pairs of 4, 8 and 12 characters and of the unseen length; none for a task whose sources have their own length."""
    if task.lengths is None or task.unseen is None:
        return {}
    return {length: judging_pairs(task, JUDGED_PER_LENGTH, length) for length in (*LENGTHS, task.unseen)}


@cache
def held_out(task: Task) -> frozenset[str]:
    """The sources that no run is trained on: all that it is judged by, and the example that is shown."""
    judged = judging_pairs(task, JUDGED) + [pair for pairs in judged_by_length(task).values() for pair in pairs]
    return frozenset(pair.source for pair in (task.shown, *judged))


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
