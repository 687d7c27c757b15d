"""A toy task: strings with their answers, and which source character each target character comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Pair:
    """A source string, its target, and the gold links as (target place, source place), both counted in characters.

    sure: links that an aligner must find. possible: links that are no mistake; every sure link is one of them. A target
    character without a possible link has no gold, and no alignment measure counts it.
    """

    source: str
    target: str
    sure: Links
    possible: Links


@dataclass(frozen=True)
class Task:
    """What a small model is to learn.

    alphabet: all characters of sources and targets, in the order of their ids. shown: the example whose alignment is
    followed during training. lengths: shortest and longest source in training, both included; None for a task whose
    sources have the length that they have. unseen: a length beyond them, kept for the test. longest: most characters
    of any source or target, the unseen length included. make: a pair from a random source and a length.
    """

    name: str
    title: str
    summary: str
    alphabet: str
    shown: Pair
    make: Callable[[Random, int], Pair]
    longest: int
    lengths: tuple[int, int] | None = (3, 12)
    unseen: int | None = 16

    def pair(self, random: Random, length: int | None = None) -> Pair:
        """A new pair; its source has `length` characters, or any of `lengths` with equal chance when None."""
        if length is None:
            length = random.randint(*self.lengths) if self.lengths else 0
        return self.make(random, length)


def one_to_one(source: str, places: list[int]) -> Pair:
    """The pair whose target character i is the source character at places[i], and is linked to it alone."""
    links = tuple(enumerate(places))
    return Pair(source, "".join(source[place] for place in places), links, links)
