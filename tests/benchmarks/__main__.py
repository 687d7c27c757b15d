"""Run the benchmarks that are named, or all of them, and print their tables."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.benchmarks import capture, parity

BENCHMARKS: dict[str, Callable[[], str]] = {"capture": capture.table, "parity": parity.table}


def main(names: list[str]) -> int:
    """Print one table a benchmark; returns the exit code."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    for name in names or BENCHMARKS:
        print(BENCHMARKS[name]())
    return 0


sys.exit(main(sys.argv[1:]))
