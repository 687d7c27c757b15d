"""From attention weights to alignment links: each row is linked to the column that gets most of its weight."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

# (target place, source place), both counted from 0. Gold files often count from 1, or name the source first.
Link: TypeAlias = tuple[int, int]


def links_of(weights: ArrayLike, columns: Collection[int] | None = None) -> set[Link]:
    """The link of each row to its largest weight; of equal ones, the first.

    weights: (T, S), a row a target token. columns: the source tokens that a link may lead to, all when None; a row
    whose largest weight lies on another column, such as the end of the text, has no link, nor has a row with NaN.
    Raises ValueError for weights that are not a matrix.
    """
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"weights have {matrix.ndim} dimensions, not 2: take one head, or a mean over the heads")
    if not matrix.size:
        return set()
    rows = np.flatnonzero(~np.isnan(matrix).any(axis=1))
    largest = matrix[rows].argmax(axis=1)
    links = zip(rows.tolist(), largest.tolist(), strict=True)
    return {(row, column) for row, column in links if columns is None or column in columns}
