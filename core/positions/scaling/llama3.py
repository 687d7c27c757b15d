"""Long waves are divided by the factor, short ones stay (Llama 3.1: `apply_scaling` of Meta's published code)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.positions.objects import Formula
from core.positions.scaling.way import FACTOR, NEW, PAIR, PLAIN, TRAINED, Scaling
from core.positions.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

# Turns within the length of the training: pairs that make fewer are divided, pairs that make more stay.
FEW, MANY = 1.0, 4.0


def blended(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """Frequencies (P,) between w / s and w, by the turns that a pair makes in the training's length."""
    turns = settings.trained * plain / (2 * math.pi)  # (P,), the training's length over the wavelength
    smooth = ((turns - FEW) / (MANY - FEW)).clamp(0, 1)
    return plain * ((1 - smooth) / settings.factor + smooth), 1.0


LLAMA3 = Scaling(
    "llama3",
    "Llama 3",
    "Waves longer than the training are divided by the factor, those shorter than a quarter of it stay.",
    Formula(
        r"w'_i = w_i \left(\frac{1 - g_i}{s} + g_i\right), \quad "
        r"g_i = \operatorname{clip}\left(\frac{L_0 / \lambda_i - 1}{4 - 1}, 0, 1\right), \quad "
        r"\lambda_i = \frac{2\pi}{w_i}",
        (
            NEW,
            PLAIN,
            PAIR,
            ("g_i", "share of pair i that stays: 0 for waves longer than the training, 1 below a quarter of it"),
            FACTOR,
            TRAINED,
            (r"\lambda_i", "wavelength of pair i: positions for one turn"),
        ),
        "Llama Team 2024, The Llama 3 Herd of Models, and Meta's code of Llama 3.1",
    ),
    blended,
)
