"""In what order words are removed, and which of a text's words are gone at each step.

Removing in an order and bringing in by it meet each other's sets in the reverse order, so that costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from core.agreement.columns import Array

Order = tuple[int, ...]
Gone = frozenset[int]
# Percent of the words, as in ERASER (DeYoung and others 2020).
BINS = (1, 5, 10, 20, 50)
# Points of a curve: of longer texts several words go at once.
MOST_POINTS = 40


def order_of(values: Array, seed: int) -> Order:
    """Places of the words (n,) from the largest value to the smallest; equal ones in an order drawn by the seed.

    The draw is the same for all methods, so that methods that agree get the same order.
    """
    drawn = np.random.default_rng([seed, 1]).permutation(len(values))
    return tuple(int(place) for place in drawn[np.argsort(-values[drawn], kind="stable")])


def random_orders(n: int, count: int, seed: int) -> list[Order]:
    """Orders of n words, each equally likely."""
    generator = np.random.default_rng([seed, 2])
    return [tuple(int(place) for place in generator.permutation(n)) for _ in range(count)]


def top_count(n: int, percent: int) -> int:
    """How many of n words a share is: rounded up, so that it is always at least one."""
    return -(-n * percent // 100)


def steps_of(n: int) -> tuple[int, ...]:
    """Numbers of words at the points of a curve: from none to all, the bins among them.

    With each number of words there is that of the others, so that an order's curves hold those of its reverse.
    """
    even = np.linspace(0, n, min(n, MOST_POINTS) + 1).round().astype(int)
    wanted = {*map(int, even), *(top_count(n, percent) for percent in BINS)}
    return tuple(sorted(wanted | {n - count for count in wanted}))


def removed(order: Order, count: int) -> Gone:
    """The words that are gone when the first so many are removed."""
    return frozenset(order[:count])


def left_out(order: Order, count: int) -> Gone:
    """The words that are gone when only the first so many are there."""
    return frozenset(order[count:])


def sets_of(orders: Iterable[Order], steps: Sequence[int]) -> list[Gone]:
    """Every set of gone words that the curves of these orders need, each once; those of like size together."""
    found = {each(order, count) for order in orders for count in steps for each in (removed, left_out)}
    return sorted(found, key=lambda gone: (len(gone), sorted(gone)))
