"""The toy tasks: known pairs, and links that hold for every pair."""

from datetime import date
from random import Random

import pytest

from core.training.tasks import TASKS
from core.training.tasks.copy import copied
from core.training.tasks.dates import FORMATS, dated
from core.training.tasks.reverse import reversed_pair
from core.training.tasks.sort import sorted_pair


def some_pairs(name: str, count: int = 200) -> list:
    random = Random(1)
    return [TASKS[name].pair(random) for _ in range(count)]


def test_known_pairs_of_letters() -> None:
    assert copied("abba").target == "abba"
    assert copied("abba").sure == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert reversed_pair("abc").target == "cba"
    assert reversed_pair("abc").sure == ((0, 2), (1, 1), (2, 0))
    assert sorted_pair("cab").target == "abc"
    assert sorted_pair("cab").sure == ((0, 1), (1, 2), (2, 0))


def test_a_known_date() -> None:
    pair = dated(date(1979, 5, 3), "{day} {month} {year}")
    assert (pair.source, pair.target) == ("3 May 1979", "1979-05-03")
    assert pair.sure == ((0, 6), (1, 7), (2, 8), (3, 9))
    assert {link for link in pair.possible if link[0] in (5, 6)} == {(row, col) for row in (5, 6) for col in (2, 3, 4)}
    assert {link for link in pair.possible if link[0] in (8, 9)} == {(8, 0), (9, 0)}


@pytest.mark.parametrize(
    ("day", "form", "source"),
    [
        (date(1979, 5, 3), "{month} {day}, {year}", "May 3, 1979"),
        (date(1979, 5, 3), "{day}.{number}.{year}", "3.5.1979"),
        (date(1979, 5, 3), "{year}/{number}/{day}", "1979/5/3"),
        (date(1979, 5, 3), "{weekday}, {day} {month} {year}", "Thursday, 3 May 1979"),
        (date(2001, 2, 11), "the {nth} of {month} {year}", "the 11th of February 2001"),
        (date(2001, 2, 22), "{month} {nth}, {year}", "February 22nd, 2001"),
    ],
)
def test_dates_as_people_write_them(day: date, form: str, source: str) -> None:
    assert dated(day, form).source == source


@pytest.mark.parametrize("form", FORMATS)
def test_hyphens_come_from_nowhere_and_all_other_digits_from_somewhere(form: str) -> None:
    pair = dated(date(1984, 12, 30), form)
    assert {row for row, _ in pair.possible} == {row for row, letter in enumerate(pair.target) if letter != "-"}


@pytest.mark.parametrize("name", TASKS)
def test_pairs_fit_their_task(name: str) -> None:
    task = TASKS[name]
    for pair in (task.shown, *some_pairs(name)):
        assert set(pair.source + pair.target) <= set(task.alphabet)
        assert max(len(pair.source), len(pair.target)) <= task.longest
        assert set(pair.sure) <= set(pair.possible)
        assert all(row < len(pair.target) and col < len(pair.source) for row, col in pair.possible)
        assert all(pair.target[row] == pair.source[col] for row, col in pair.sure)


@pytest.mark.parametrize("name", ["copy", "reverse", "sort"])
def test_lengths_are_those_of_training_or_the_one_asked_for(name: str) -> None:
    task = TASKS[name]
    assert {len(pair.source) for pair in some_pairs(name)} == set(range(3, 13))
    assert len(task.pair(Random(0), task.unseen).source) == 16


def test_letters_to_sort_are_all_different() -> None:
    assert all(len(set(pair.source)) == len(pair.source) for pair in some_pairs("sort"))


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert some_pairs("dates", 20) == some_pairs("dates", 20)


def test_an_alphabet_names_each_character_once() -> None:
    assert all(len(set(task.alphabet)) == len(task.alphabet) for task in TASKS.values())
