"""How alike the rows of a table of positions are."""

from __future__ import annotations

import torch
from torch import Tensor

from core.positions.objects import Table


def dot_products(table: Table) -> Tensor:
    """The product of each row with each: float32 (T, T)."""
    rows = table.values.double()
    return (rows @ rows.T).float()  # (T, D) @ (D, T) -> (T, T)


def cosines(table: Table) -> Tensor:
    """The cosine of the angle between each row and each: float32 (T, T), NaN for a row of zeros, which has none."""
    rows = table.values.double()
    rows = rows / rows.norm(dim=-1, keepdim=True)  # a row of zeros becomes NaN
    return (rows @ rows.T).clamp(-1, 1).float()  # (T, D) @ (D, T) -> (T, T)


def toeplitz(by_offset: Tensor, length: int) -> Tensor:
    """What is held by offset, (..., 2R + 1), for each query (row) and key: (..., length, length); length <= R + 1."""
    farthest = by_offset.shape[-1] // 2
    places = torch.arange(length, device=by_offset.device)
    return by_offset[..., farthest + places[None, :] - places[:, None]]  # (..., 2R + 1) -> (..., T, T)
