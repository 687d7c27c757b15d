"""Sines and cosines of the position, added to the embeddings (Vaswani and others 2017, section 3.5)."""

from __future__ import annotations

import torch
from torch import Tensor

from core.positions.encoding import Encoding

BASE = 10_000.0


def frequencies(width: int, base: float = BASE, like: Tensor | None = None) -> Tensor:
    """w_i = base^(-2i / width), radians per position: (ceil(width / 2),), of the dtype and device of `like`."""
    dtype = torch.float32 if like is None else like.dtype
    pairs = torch.arange(0, width, 2, dtype=dtype, device=None if like is None else like.device)
    return base ** (-pairs / width)


def sinusoids(places: Tensor, width: int) -> Tensor:
    """PE[p, 2i] = sin(p w_i), PE[p, 2i + 1] = cos(p w_i): floating (..., T) -> (..., T, width), of the same dtype."""
    angles = places[..., None] * frequencies(width, like=places)  # (..., T, 1) * (width / 2,) -> (..., T, width / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :width]  # (..., T, width)


def matrix(length: int, width: int) -> Tensor:
    """The table that is added: float32 (length, width)."""
    return sinusoids(torch.arange(length, dtype=torch.float64), width).float()


class Sinusoidal(Encoding):
    """Adds the table; it is a formula, so there is one for every position, trained or not."""

    def add(self, hidden: Tensor, places: Tensor | None = None) -> Tensor:
        """See `Encoding.add`."""
        if places is None:
            places = torch.arange(hidden.shape[1], device=hidden.device)  # (T,)
        return hidden + sinusoids(places.float(), hidden.shape[-1]).to(hidden.dtype)  # (B, T, D) + ((B,) T, D)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack."""
    return Sinusoidal()
