"""Run the benchmarks that are named, or all of them, and print their tables."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.benchmarks import capture, drawing, on_demand, parity, rival, saliency, sliders, start, training

BENCHMARKS: dict[str, tuple[Callable[[], str], ...]] = {
    "capture": (capture.table, on_demand.table),
    "drawing": (drawing.table, rival.table),
    "sliders": (sliders.table,),
    "start": (start.table,),
    "parity": (parity.table,),
    "training": (training.table,),
    "saliency": (saliency.gradient_table, saliency.methods_table),
}


def main(names: list[str]) -> int:
    """Print the tables of each benchmark; returns the exit code."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    for name in names or BENCHMARKS:
        for table in BENCHMARKS[name]:
            print(table(), end="\n\n", flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
