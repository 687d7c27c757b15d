"""Queries and keys turned by angles that grow with the position (RoPE: Su and others 2021, equations 13 to 15).

Their product then depends on the distance alone. Pairs are neighbours, (0, 1), (2, 3), ..., as in the paper; the
models of transformers pair coordinate i with i + width / 2, which is the same up to an order of the coordinates.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.effects import turning
from core.positions.encoding import Encoding
from core.positions.objects import ByDistance, Formula, Rotation
from core.positions.scaling import scaling_named
from core.positions.settings import Settings
from core.positions.sinusoidal import frequencies

FORMULA = Formula(
    r"\begin{pmatrix} u'_i \\ v'_i \end{pmatrix} ="
    r" \begin{pmatrix} \cos p\,w_i & -\sin p\,w_i \\ \sin p\,w_i & \cos p\,w_i \end{pmatrix}"
    r" \begin{pmatrix} u_i \\ v_i \end{pmatrix}, \quad w_i = b^{-2i/d}",
    (
        (r"u'_i,\ v'_i", "the two coordinates of pair i after they were turned"),
        ("p", "position of the query or key, from 0"),
        ("w_i", "frequency of pair i, in radians a position; a scaling puts another in its place"),
        ("u_i", "first coordinate of pair i: number 2i where neighbours are paired, i where halves are"),
        ("v_i", "second coordinate of pair i: number 2i + 1 where neighbours are paired, i + d/2 where halves are"),
        ("b", "base of the frequencies, 10,000 in the paper"),
        ("i", "number of the pair, from 0, the fastest"),
        ("d", "width of the query or key; values are not turned"),
    ),
    "Su and others 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, equation 15",
)


def angles(places: Tensor, width: int) -> Tensor:
    """p w_i in radians: floating (T,) -> (T, width / 2), with the frequencies of the sinusoids."""
    return places[:, None] * frequencies(width, like=places)  # (T, 1) * (width / 2,) -> (T, width / 2)


def rotated(vectors: Tensor, by: Tensor) -> Tensor:
    """Turn each pair of neighbours by its angle: (..., T, D), (T, D / 2) -> (..., T, D). Lengths stay."""
    first, second = vectors[..., 0::2], vectors[..., 1::2]  # (..., T, D / 2)
    return torch.stack(_turned(first, second, by), dim=-1).flatten(-2)  # (..., T, D)


def rotated_halves(vectors: Tensor, by: Tensor) -> Tensor:
    """The same of coordinates i and i + D / 2, as `rotate_half` of transformers pairs them."""
    first, second = vectors.chunk(2, dim=-1)  # (..., T, D / 2)
    return torch.cat(_turned(first, second, by), dim=-1)  # (..., T, D)


def halves_first(width: int) -> Tensor:
    """The order [0, 2, 4, ..., 1, 3, 5, ...] of coordinates that makes halves of neighbours: integers (width,).

    `rotated(x, by)[..., order]` is exactly `rotated_halves(x[..., order], by)`.
    """
    return torch.cat([torch.arange(0, width, 2), torch.arange(1, width, 2)])


def _turned(first: Tensor, second: Tensor, by: Tensor) -> tuple[Tensor, Tensor]:
    cos, sin = by.cos(), by.sin()
    return first * cos - second * sin, first * sin + second * cos


def thing(settings: Settings) -> Rotation:
    """The rotation that the settings say. Raises HeadlightError for an odd width, and for an unknown scaling."""
    if settings.width % 2:
        raise HeadlightError(_one_left_over(f"a width of {settings.width} has", "choose an even width."))
    scaling = scaling_named(settings.scaling)
    plain = frequencies(settings.width, settings.base, like=torch.empty(0, dtype=torch.float64))  # (D / 2,)
    scaled, temperature = scaling.apply(plain, settings)
    return Rotation(
        plain=plain,
        frequencies=scaled,
        width=settings.width,
        layout=settings.layout,
        scaling=scaling.name,
        factor=1.0 if scaling.name == "none" else settings.factor,
        trained=settings.trained,
        temperature=temperature,
        base=settings.base,
    )


def by_distance(settings: Settings) -> ByDistance:
    """The mean over pairs of cos(k w_i): how alike a vector of ones is to itself, k positions on, 1 at offset 0.

    This is the decay of the paper's section 3.4.3, without its bound; trained queries and keys need not show it.
    """
    return turning(thing(settings).frequencies, settings.length - 1)


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
            _one_left_over(f"heads of width {width // heads} have", "choose another width or number of heads.")
        )
    return Rotary()


def _one_left_over(what: str, advice: str) -> str:
    return f"Rotary positions turn pairs of coordinates, and {what} one left over: {advice}"
