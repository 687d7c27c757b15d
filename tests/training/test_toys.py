"""The supply of the toy tasks: what it never holds, and what follows from seed and number alone."""

from __future__ import annotations

from itertools import chain

import pytest

from core.training.samples import Sample
from core.training.tasks import TASKS
from core.training.toys import (
    JUDGED,
    STEPS_A_POOL,
    ToySupply,
    held_out,
    judged_by_length,
    judging_pairs,
    sample_of,
)


def read(supply: ToySupply, count: int) -> list[Sample]:
    return list(chain.from_iterable(supply[index] for index in range(count)))


def padding(batches: list[list[Sample]]) -> int:
    return sum(max(len(sample.source) for sample in batch) - len(each.source) for batch in batches for each in batch)


@pytest.mark.parametrize("name", TASKS)
def test_nothing_that_is_judged_or_shown_is_ever_trained_on(name: str) -> None:
    task = TASKS[name]
    judged = [task.shown, *judging_pairs(task, JUDGED), *chain.from_iterable(judged_by_length(task).values())]
    assert held_out(task) == {pair.source for pair in judged}
    forbidden = {sample_of(task, pair).source for pair in judged}
    assert not any(sample.source in forbidden for sample in read(ToySupply(task, 100, 0), 100))


def test_a_pair_that_is_judged_is_replaced_and_all_others_stay() -> None:
    task = TASKS["sort"]
    free, kept = ToySupply(task, 100, 3), ToySupply(task, 100, 3)
    first = read(free, 3)
    kept._held_out = kept._held_out | {"".join(task.alphabet[place - 4] for place in first[7].source[:-1])}
    replaced = read(kept, 3)
    assert [number for number in range(300) if replaced[number] != first[number]] == [7]
    assert replaced == read(kept, 3)


@pytest.mark.parametrize("bucketing", [False, True])
def test_a_batch_follows_from_seed_and_number_alone(bucketing: bool) -> None:
    task = TASKS["copy"]
    one, two = (ToySupply(task, 6, 1, accumulate=2, bucketing=bucketing) for _ in range(2))
    forwards = [one[index] for index in range(140)]
    assert [two[index] for index in reversed(range(140))] == forwards[::-1]
    assert [ToySupply(task, 6, 2, accumulate=2, bucketing=bucketing)[index] for index in range(140)] != forwards


@pytest.mark.parametrize("bucketing", [False, True])
def test_one_batch_and_its_parts_hold_the_same_pairs(bucketing: bool) -> None:
    task = TASKS["reverse"]
    whole = ToySupply(task, 16, 0, bucketing=bucketing)
    parts = ToySupply(task, 2, 0, accumulate=8, bucketing=bucketing)
    for step in (0, 5, STEPS_A_POOL):
        assert whole[step] == list(chain.from_iterable(parts[8 * step + part] for part in range(8)))


def test_batches_of_like_length_hold_the_same_pairs_with_less_padding() -> None:
    task = TASKS["dates"]
    mixed, like = ToySupply(task, 16, 0), ToySupply(task, 16, 0, bucketing=True)
    first, second = ([supply[step] for step in range(STEPS_A_POOL)] for supply in (mixed, like))
    assert set(chain.from_iterable(first)) == set(chain.from_iterable(second))
    assert padding(second) < 0.2 * padding(first)
    lengths = [len(batch[0].source) for batch in second]
    assert lengths != sorted(lengths)
