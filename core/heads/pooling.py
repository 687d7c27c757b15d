"""Maps made small by their largest weights, so that thin lines survive."""

from __future__ import annotations

import torch
from torch import Tensor


def pooled(weights: Tensor, masked: Tensor, factor: int) -> Tensor:
    """The largest weight of each factor × factor cells, NaN where all of them are masked.

    weights: (..., rows, cols); masked: bool (rows, cols). Returns (..., ⌈rows / factor⌉, ⌈cols / factor⌉).
    """
    largest = _both_ways(weights, factor)
    if not masked.any():
        return largest
    return largest.masked_fill(_both_ways((~masked).float(), factor) == 0, torch.nan)


def _both_ways(values: Tensor, factor: int) -> Tensor:
    # Rows first: whole rows are compared, which is several times faster than within them (ui.md, section 2).
    return values if factor == 1 else _along(_along(values, factor, -2), factor, -1)


def _along(values: Tensor, factor: int, dim: int) -> Tensor:
    """The largest of each `factor` entries along a dimension, the last of which may be fewer."""
    whole = values.shape[dim] // factor * factor
    blocks = values.narrow(dim, 0, whole).unflatten(dim, (-1, factor)).amax(dim) if whole else None
    if whole == values.shape[dim] and blocks is not None:
        return blocks
    rest = values.narrow(dim, whole, values.shape[dim] - whole).amax(dim, keepdim=True)
    return rest if blocks is None else torch.cat([blocks, rest], dim)
