"""DeBERTa by formula: its first version clips far offsets, the second and the third put them into growing buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.positions import SCHEMES
from core.positions.objects import Formula
from core.positions.settings import Settings

if TYPE_CHECKING:
    from core.positions.objects import Buckets, Terms

CLIPPED, GROWING = "1", "2"
VERSIONS = {CLIPPED: "1 · clipped", GROWING: "2, 3 · buckets"}
# Fields of `Settings` that the buckets read.
USES = ("length", "width", "buckets", "farthest", "seed")
_CLIPPING = SCHEMES["deberta"].formula
_GROWN = Formula(
    latex=(
        r"\begin{gathered} e_{ij} = \frac{Q^c_i \cdot K^c_j + Q^c_i \cdot K^r_{d(i,j)} + K^c_j \cdot "
        r"Q^r_{d(j,i)}}{\sqrt{3d}}, \qquad d(i,j) = \min\big(\beta(i - j) + B,\ 2B - 1\big) \\[0.4em] "
        r"\beta(n) = \begin{cases} n & |n| \le B/2 \\ \pm \min\Big(B,\ \frac{B}{2} + \Big\lceil "
        r"\big(\tfrac{B}{2} - 1\big) \frac{\ln(2|n|/B)}{\ln(2(N - 1)/B)} \Big\rceil\Big) & |n| > B/2 \end{cases} "
        r"\end{gathered}"
    ),
    symbols=(
        *(each for each in _CLIPPING.symbols if each[0] in (r"e_{ij}", r"Q^c_i,\ K^c_j")),
        (r"K^r,\ Q^r", "keys and queries of the positions: of one learned table of 2B rows"),
        (r"d(i,j)", "row for the offset of two positions"),
        (r"3d", "the number of terms, times the width of a head"),
        (r"\beta(n)", "the offset n itself where it is small, else the number of its bucket, with its sign"),
        (r"B", "buckets on each side: half of them hold one distance each"),
        (r"N", "farthest: from N - 1 on all offsets read the last row"),
    ),
    source="He, Gao and Chen 2021, DeBERTaV3, and the authors' code",
)


def formula_of(version: str) -> Formula:
    """The formula with every symbol explained."""
    return _GROWN if version == GROWING else _CLIPPING


def is_clipped(buckets: Buckets) -> bool:
    """Whether each distance up to the farthest that is told apart reads a row of its own, as in the first version."""
    return buckets.starts == tuple(range(len(buckets.starts)))


def thing_of(version: str, settings: Settings) -> Buckets:
    """Which row of a learned table each offset reads."""
    from core.positions.deberta import log_thing, thing

    return log_thing(settings) if version == GROWING else thing(settings)


def terms_of(version: str, settings: Settings) -> Terms:
    """The terms of one head whose vectors are drawn at random, see `core.positions.deberta.illustration`."""
    from core.positions.deberta import illustration

    return _grown_terms(settings) if version == GROWING else illustration(settings)


def _grown_terms(settings: Settings) -> Terms:
    import torch

    from core.positions.deberta import log_rows, terms

    generator = torch.Generator().manual_seed(settings.seed)
    shapes = [settings.length] * 2 + [2 * settings.buckets] * 2
    query, key, position_query, position_key = (
        torch.randn(1, count, settings.width, generator=generator) for count in shapes
    )  # (1, T or 2B, W)
    places = torch.arange(settings.length)
    difference = places[:, None] - places[None, :]  # (T, 1) - (1, T) -> (T, T)
    numbers = log_rows(difference, settings.buckets, settings.farthest)
    return terms(query, key, position_query, position_key, numbers)
