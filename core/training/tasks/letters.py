"""The letters of the copy, reverse and sort tasks."""

from __future__ import annotations

from random import Random

LETTERS = "abcdefghijklmnopqr"


def any_letters(random: Random, length: int) -> str:
    """A string of letters drawn one by one, so that some come twice."""
    return "".join(random.choices(LETTERS, k=length))


def distinct_letters(random: Random, length: int) -> str:
    """A string in which no letter comes twice; at most 18 letters."""
    return "".join(random.sample(LETTERS, length))
