"""How a layer's maps are read piece by piece, so that no text is too long for the memory."""

from __future__ import annotations

import math

# Cells of a block: small enough that the memory of one is used again for the next, large enough for matrix products.
CELLS = 2**20


def factor_of(rows: int, cols: int, side: int) -> int:
    """Entries that a cell of a thumbnail stands for along each side, so that no side is longer than `side` cells."""
    return math.ceil(max(rows, cols, 1) / side)


def row_blocks(rows: int, cols: int, heads: int, factor: int = 1) -> list[slice]:
    """Blocks of rows that cover all of them; each holds whole cells of `factor` rows, or lies within one.

    With `head_groups` a block has at most CELLS cells, unless one row of one head has more.
    """
    at_once = CELLS // (cols * len(head_groups(heads, cols, factor)[0]))
    if at_once >= factor:
        step = at_once // factor * factor
        return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
    step = max(1, at_once)
    cells = (slice(start, min(start + factor, rows)) for start in range(0, rows, factor))
    return [slice(at, min(at + step, cell.stop)) for cell in cells for at in range(cell.start, cell.stop, step)]


def head_groups(heads: int, cols: int, factor: int = 1) -> list[range]:
    """The heads that are read together: all, unless `factor` rows of them are more than a block."""
    together = min(heads, max(1, CELLS // (cols * factor)))
    return [range(start, min(start + together, heads)) for start in range(0, heads, together)]
