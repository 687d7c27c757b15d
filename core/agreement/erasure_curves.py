"""Results of erasure: curves of each method, random orders, and the numbers that they come to (methods.md 2.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.columns import Array
from core.agreement.erasure_orders import BINS, Gone, Order, left_out, removed, top_count
from core.agreement.light import Light


@dataclass(frozen=True, eq=False)
class Curve:
    """What is left of the target, see `Erasure.measure`, as words go and come: (points,), or (orders, points) of many.

    deletion   after the first words of the order were removed
    insertion  with only the first words of the order there
    NaN where no text is left to read.
    """

    deletion: Array
    insertion: Array


@dataclass(frozen=True)
class Numbers:
    """What a method's curves come to.

    deletion_area, insertion_area  mean height of the curve less that of the mean of random orders: good orders are
                       below 0 for deletion and above it for insertion
    comprehensiveness  mean loss of it when the first 1, 5, 10, 20 and 50 % of the words are removed
    sufficiency        the same when only these are kept; less is better
    flip               smallest share of the words, first ones first, without which another answer wins; NaN where none
                       does
    """

    deletion_area: float
    insertion_area: float
    comprehensiveness: float
    sufficiency: float
    flip: float


@dataclass(frozen=True, eq=False)
class Erasure:
    """Erasure of one text by many methods.

    by         how words were removed: "unknown", "mask", "attention" or "delete"
    fractions  (points,) share of the words that are gone, or there
    curves, numbers  by method; random: (orders, points); chance: the mean of the numbers of random orders
    ood        how familiar erased texts are to the model
    n, seed    words; of random orders and of ties, which are broken by chance, for all methods alike
    forwards, seconds  what it took
    notes      sentences for the reader
    measure    what the curves are of: the target's "probability", "similarity" or "number"
    """

    by: str
    fractions: Array
    curves: Mapping[str, Curve]
    random: Curve
    numbers: Mapping[str, Numbers]
    chance: Numbers
    ood: Light
    n: int
    seed: int
    forwards: int
    seconds: float
    notes: tuple[str, ...] = ()
    measure: str = "probability"

    def reverse(self, method: str) -> Curve:
        """The curves of a method's order read from its end: what was brought in last is now removed first."""
        curve = self.curves[method]
        return Curve(curve.insertion[::-1], curve.deletion[::-1])


# What a set of gone words leaves: probability of the target, and by how much it leads.
Reads = Callable[[Gone], tuple[float, float]]


def curve_of(order: Order, steps: Sequence[int], read: Reads) -> Curve:
    """The curves of one order at these numbers of words."""
    out = [read(removed(order, count))[0] for count in steps]
    back = [read(left_out(order, count))[0] for count in steps]
    return Curve(np.array(out), np.array(back))


def numbers_of(order: Order, steps: Sequence[int], read: Reads, curve: Curve, random: Curve) -> Numbers:
    """The numbers of one order. The bins of AOPC are a plain mean, as in ERASER's code."""
    n = len(order)
    fractions = np.array(steps) / n
    whole = read(frozenset())[0]
    counts = [top_count(n, percent) for percent in BINS]
    flipped = [count for count in steps if count and read(removed(order, count))[1] < 0]
    return Numbers(
        deletion_area=height(curve.deletion, fractions) - height(random.deletion.mean(axis=0), fractions),
        insertion_area=height(curve.insertion, fractions) - height(random.insertion.mean(axis=0), fractions),
        comprehensiveness=whole - float(np.mean([read(removed(order, count))[0] for count in counts])),
        sufficiency=whole - float(np.mean([read(left_out(order, count))[0] for count in counts])),
        flip=flipped[0] / n if flipped else math.nan,
    )


def mean_of(each: Sequence[Numbers]) -> Numbers:
    """The mean of random orders' numbers; of flip over those in which another answer wins."""
    flips = [numbers.flip for numbers in each if not math.isnan(numbers.flip)]
    means = {
        name: float(np.mean([getattr(numbers, name) for numbers in each]))
        for name in ("deletion_area", "insertion_area", "comprehensiveness", "sufficiency")
    }
    return Numbers(**means, flip=float(np.mean(flips)) if flips else math.nan)


def height(curve: Array, fractions: Array) -> float:
    """Mean height of a curve by trapezoids, over the points where there is a text."""
    there = ~np.isnan(curve)
    x, y = fractions[there], curve[there]
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))
