"""Sines and cosines of the position, added to the embeddings (Vaswani and others 2017, section 3.5)."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.effects import turning
from core.positions.encoding import Encoding
from core.positions.objects import ByDistance, Formula, Table
from core.positions.settings import Settings

BASE = 10_000.0

FORMULA = Formula(
    r"PE_{p,2i} = \sin(p\,w_i), \quad PE_{p,2i+1} = \cos(p\,w_i), \quad w_i = b^{-2i/d}",
    (
        (r"PE_{p,2i},\ PE_{p,2i+1}", "pair i of the vector that is added to the embedding at position p"),
        ("p", "position of a token in its text, from 0"),
        ("w_i", "frequency of pair i, in radians a position; its wavelength is 2π divided by it"),
        ("b", "base, 10,000 in the paper"),
        ("i", "number of the pair, from 0 up to d/2 - 1"),
        ("d", "width of the embeddings"),
    ),
    'Vaswani and others 2017, "Attention Is All You Need", section 3.5',
)


def frequencies(width: int, base: float = BASE, like: Tensor | None = None) -> Tensor:
    """w_i = base^(-2i / width), radians per position: (ceil(width / 2),), of the dtype and device of `like`."""
    dtype = torch.float32 if like is None else like.dtype
    pairs = torch.arange(0, width, 2, dtype=dtype, device=None if like is None else like.device)
    return base ** (-pairs / width)


def sinusoids(places: Tensor, width: int, base: float = BASE) -> Tensor:
    """PE[p, 2i] = sin(p w_i), PE[p, 2i + 1] = cos(p w_i): floating (..., T) -> (..., T, width), of the same dtype."""
    angles = places[..., None] * frequencies(width, base, places)  # (..., T, 1) * (width / 2,) -> (..., T, width / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :width]  # (..., T, width)


def thing(settings: Settings) -> Table:
    """The table that is added. An odd width leaves out the last cosine."""
    places = torch.arange(settings.length, dtype=torch.float64)
    values = sinusoids(places, settings.width, settings.base).float()  # (T, D)
    return Table(values, frequencies=_exact(settings))


def by_distance(settings: Settings) -> ByDistance:
    """PE(p) PE(p + k) / (d / 2), the mean of cos(k w_i) over the pairs, whatever p is.

    Raises HeadlightError for an odd width: the last sine has no cosine there, and p matters.
    """
    if settings.width % 2:
        raise HeadlightError(
            f"With a width of {settings.width} the last sine has no cosine beside it, and similarity does not depend "
            "on the distance alone: choose an even width."
        )
    return turning(_exact(settings), settings.length - 1)


def _exact(settings: Settings) -> Tensor:
    return frequencies(settings.width, settings.base, like=torch.empty(0, dtype=torch.float64))  # (ceil(D / 2),)


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
