"""Comparing ways to do one thing on a machine that others use too."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 9


def median_seconds(ways: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """CPU seconds of this thread for each way: the median of rounds in which all ways take their turn.

    CPU time of one thread leaves out what other programs take; taking turns spreads what is left evenly.
    """
    for run in ways.values():
        run()
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            start = time.thread_time()
            run()
            taken[name].append(time.thread_time() - start)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}
