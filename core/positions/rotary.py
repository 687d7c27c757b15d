"""Queries and keys turned by angles that grow with the position (RoPE: Su and others 2021, equations 13 to 15).

Their product then depends on the distance alone. Pairs are neighbours, (0, 1), (2, 3), ..., as in the paper; the
models of transformers pair coordinate i with i + width / 2, which is the same up to an order of the coordinates.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.encoding import Encoding
from core.positions.sinusoidal import frequencies


def angles(places: Tensor, width: int) -> Tensor:
    """p w_i in radians: floating (T,) -> (T, width / 2), with the frequencies of the sinusoids."""
    return places[:, None] * frequencies(width, like=places)  # (T, 1) * (width / 2,) -> (T, width / 2)


def rotated(vectors: Tensor, by: Tensor) -> Tensor:
    """Turn each pair of coordinates by its angle: (..., T, D), (T, D / 2) -> (..., T, D). Lengths stay."""
    first, second = vectors[..., 0::2], vectors[..., 1::2]  # (..., T, D / 2)
    cos, sin = by.cos(), by.sin()
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)  # (..., T, D)


def matrix(length: int, width: int) -> Tensor:
    """The angle, in radians and not wrapped, of each pair at each position: float32 (length, width // 2)."""
    return angles(torch.arange(length, dtype=torch.float64), width).float()


class Rotary(Encoding):
    """Turns queries and keys, never values."""

    def rotate(self, heads: Tensor) -> Tensor:
        """See `Encoding.rotate`."""
        places = torch.arange(heads.shape[-2], dtype=torch.float32, device=heads.device)  # (T,)
        return rotated(heads.float(), angles(places, heads.shape[-1])).to(heads.dtype)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack. Raises HeadlightError where a head's width is odd."""
    if width // heads % 2:
        raise HeadlightError(
            f"Rotary positions turn pairs of coordinates, and heads of width {width // heads} have one left over: "
            "choose another width or number of heads."
        )
    return Rotary()
