"""A larger base, so that the fastest pair stays as it is and the slowest is slowed down most ("NTK-aware" scaling).

Published by u/bloc97 (fixed) and u/emozilla (dynamic) on Reddit in 2023; Peng and others 2023 (YaRN, sections 3.1 and
3.3) write both down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import HeadlightError
from core.positions.objects import Formula
from core.positions.scaling.way import BASE, FACTOR, NEW, PAIR, TRAINED, WIDTH, Scaling
from core.positions.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor


def slowed(plain: Tensor, most: float) -> Tensor:
    """Frequencies (P,) of the base · most^(d / (d - 2)): the first unchanged, the last divided by `most`.

    Raises HeadlightError for one pair, which is the fastest and the slowest at once.
    """
    import torch

    pairs = len(plain)
    if pairs == 1:
        raise HeadlightError(
            "NTK scaling keeps the fastest pair and slows the slowest, and a width of 2 has only one: choose 4 or more."
        )
    # (most^(d / (d - 2)))^(-2i / d), with d = 2P
    return plain * most ** (-torch.arange(pairs, dtype=plain.dtype, device=plain.device) / (pairs - 1))


def growth(factor: float, length: float, trained: int) -> float:
    """s L / L0 - (s - 1), what dynamic scaling divides the lowest frequency by; 1 up to the length of the training."""
    return factor * max(length, trained) / trained - (factor - 1)


def fixed(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """The lowest frequency is divided by the factor, for every text."""
    return slowed(plain, settings.factor), 1.0


def dynamic(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """As a text has them that is `factor` times as long as those of the training; shorter ones change less."""
    length = settings.factor * settings.trained
    return slowed(plain, growth(settings.factor, length, settings.trained)), 1.0


NTK = Scaling(
    "ntk",
    "NTK-aware",
    "The base grows, so that the highest frequency stays and the lowest is divided by the factor.",
    Formula(
        r"w'_i = \left(b\, s^{\frac{d}{d-2}}\right)^{-2i/d}",
        (NEW, BASE, FACTOR, WIDTH, PAIR),
        "u/bloc97 2023; Peng and others 2023, YaRN, section 3.1",
    ),
    fixed,
)
DYNAMIC = Scaling(
    "dynamic",
    "Dynamic NTK",
    "The base grows with each text's own length, so that texts as short as in training keep their frequencies.",
    Formula(
        r"w'_i = \left(b \left(s\,\frac{L}{L_0} - (s - 1)\right)^{\frac{d}{d-2}}\right)^{-2i/d}",
        (NEW, BASE, FACTOR, ("L", "length of the text, at least that of the training; here s times it"), TRAINED,
         WIDTH, PAIR),
        "u/emozilla 2023; Peng and others 2023, YaRN, section 3.3",
    ),
    dynamic,
)  # fmt: skip
