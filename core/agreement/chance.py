"""What rank agreement chance alone gives: the band that belongs beside every tau (methods.md 2.1)."""

from __future__ import annotations

import math
from functools import lru_cache

# Up to here the distribution of tau is counted out; above it is all but normal.
EXACT = 60
LEVEL = 0.05
# Of a normal distribution, within which 95 % lie.
TWO_SIDED = 1.959963984540054


def chance_sd(n: int) -> float:
    """Standard deviation of Kendall's tau between independent orders of n words, no ties: sqrt(2(2n+5)/(9n(n-1))).

    NaN for fewer than two words.
    """
    return math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))) if n > 1 else math.nan


def critical_tau(n: int, level: float = LEVEL) -> float:
    """The smallest |tau| that independent orders of n words reach with a probability of at most `level`; two-sided.

    Counted exactly up to 60 words. NaN where no value is so rare, as for four words or fewer.
    """
    if n < 2:
        return math.nan
    pairs = n * (n - 1) // 2
    if n > EXACT:
        # The smallest step of tau at or above the normal bound.
        return math.ceil((TWO_SIDED * chance_sd(n) + 1) * pairs / 2 - 1e-9) * 2 / pairs - 1
    counts = _inversions(n)
    total = math.factorial(n)
    tail = 0
    found = math.nan
    for discordant, count in enumerate(counts):
        tail += count
        tau = 1 - 2 * discordant / pairs
        if tau <= 0 or 2 * tail > level * total:
            break
        found = tau
    return found


@lru_cache(maxsize=EXACT)
def _inversions(n: int) -> tuple[int, ...]:
    """How many orders of n words have 0, 1, 2, … pairs the other way round (Mahonian numbers)."""
    counts = [1]
    for size in range(2, n + 1):
        sums = [0]
        for count in counts:
            sums.append(sums[-1] + count)
        longest = len(counts) + size - 1
        counts = [sums[min(place + 1, len(counts))] - sums[max(0, place + 1 - size)] for place in range(longest)]
    return tuple(counts)
