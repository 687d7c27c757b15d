"""Attention between words out of attention between tokens: columns are summed, rows averaged.

So a row of the merged map still says how one word spreads its attention: it sums to what the rows of its tokens sum to
on average, one where theirs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from core.text.units import HasWords, starts_of

Array = npt.NDArray[np.floating]
Map = TypeVar("Map", Tensor, npt.NDArray[np.floating])
Mask = TypeVar("Mask", Tensor, npt.NDArray[np.bool_])


def merge(weights: Map, queries: HasWords, keys: HasWords) -> Map:
    """Weights between words: [..., queries, keys] of tokens -> [..., queries, keys] of words, tensor or array alike.

    queries, keys: the tokens of the rows and columns; their `merged()` names those of the result. NaN spreads over the
    words it lies in. Raises ValueError where the shape does not fit the tokens.
    """
    given = (len(queries.words), len(keys.words))
    shape = tuple(weights.shape)
    if shape[-2:] != given:
        raise ValueError(f"weights of shape {shape} do not fit {given[0]} queries and {given[1]} keys")
    rows: list[int] = starts_of(queries)
    columns: list[int] = starts_of(keys)
    sizes = np.diff([*rows, given[0]])[:, None]
    if isinstance(weights, Tensor):
        return _merged_tensor(weights, rows, columns) / torch.as_tensor(sizes, device=weights.device)
    return (_merged_array(weights, rows, columns) / sizes).astype(weights.dtype, copy=False)


def merge_masked(masked: Mask, queries: HasWords, keys: HasWords) -> Mask:
    """Cells between words that could not be attended to: those of which no cell between tokens could."""
    if isinstance(masked, Tensor):
        return merge((~masked).float(), queries, keys) == 0
    return merge((~masked).astype(np.float32), queries, keys) == 0


def _merged_array(weights: Array, rows: Sequence[int], columns: Sequence[int]) -> Array:
    by_columns: Array = np.add.reduceat(weights, columns, axis=-1)
    by_both: Array = np.add.reduceat(by_columns, rows, axis=-2)
    return by_both


def _merged_tensor(weights: Tensor, rows: Sequence[int], columns: Sequence[int]) -> Tensor:
    # [..., queries, keys] -> [..., queries, key words] -> [..., query words, key words]
    return _summed(_summed(weights, columns, -1), rows, -2)


def _summed(weights: Tensor, starts: Sequence[int], axis: int) -> Tensor:
    begins = torch.zeros(weights.shape[axis], dtype=torch.long)
    begins[list(starts)] = 1
    unit = (begins.cumsum(0) - 1).to(weights.device)  # [tokens], the number of each token's unit
    shape = list(weights.shape)
    shape[axis] = len(starts)
    return torch.zeros(shape, dtype=weights.dtype, device=weights.device).index_add(axis, unit, weights)
