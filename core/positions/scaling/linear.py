"""No scaling, and positions divided by the factor (Chen and others 2023, position interpolation)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.positions.objects import Formula
from core.positions.scaling.way import BASE, FACTOR, NEW, PAIR, PLAIN, WIDTH, Scaling
from core.positions.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor


def unscaled(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """The frequencies as they are."""
    return plain, 1.0


def interpolated(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """w_i / s: the same as positions divided by s."""
    return plain / settings.factor, 1.0


NONE = Scaling(
    "none",
    "None",
    "The frequencies of the training, whatever the length of the text.",
    Formula(r"w_i = b^{-2i/d}", (PLAIN, BASE, PAIR, WIDTH), "Su and others 2021, RoFormer, section 3.2.2"),
    unscaled,
)
LINEAR = Scaling(
    "linear",
    "Linear interpolation",
    "All frequencies are divided by the factor, as if positions were: neighbours come closer than in training.",
    Formula(
        r"w'_i = \frac{w_i}{s}",
        (NEW, PLAIN, FACTOR),
        "Chen and others 2023, Extending Context Window of Large Language Models via Position Interpolation",
    ),
    interpolated,
)
