"""Fast pairs stay, slow ones are interpolated, and attention is sharpened (YaRN: Peng and others 2023, 3.2 and 3.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.positions.objects import Formula
from core.positions.scaling.way import BASE, FACTOR, NEW, PAIR, PLAIN, TRAINED, WIDTH, Scaling
from core.positions.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

# Turns within the length of the training: pairs that make more stay, pairs that make fewer are interpolated.
FAST, SLOW = 32.0, 1.0
# What keeps a ramp of no length from a division by zero, as in transformers.
_STEEP = 0.001


def pair_with(turns: float, width: int, base: float, trained: int) -> float:
    """The pair, between two where it must be, that makes `turns` turns in `trained` positions."""
    return width * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base))


def ramp(width: int, base: float, trained: int) -> tuple[int, int]:
    """The last pair that stays and the first that is wholly interpolated, as far as the width has them."""
    low = math.floor(pair_with(FAST, width, base, trained))
    high = math.ceil(pair_with(SLOW, width, base, trained))
    return max(low, 0), min(high, width - 1)


def temperature(factor: float) -> float:
    """0.1 ln s + 1, which cosine and sine are multiplied by."""
    return 0.1 * math.log(factor) + 1.0


def by_parts(plain: Tensor, settings: Settings) -> tuple[Tensor, float]:
    """Frequencies (P,) between w and w / s, and the temperature."""
    import torch

    low, high = ramp(2 * len(plain), settings.base, settings.trained)
    pairs = torch.arange(len(plain), dtype=plain.dtype, device=plain.device)
    share = ((pairs - low) / max(high - low, _STEEP)).clamp(0, 1)  # (P,)
    return plain * ((1 - share) + share / settings.factor), temperature(settings.factor)


YARN = Scaling(
    "yarn",
    "YaRN",
    "Pairs that turn often in training stay, those that never finish a turn are interpolated, and scores grow.",
    Formula(
        r"w'_i = (1 - r_i)\, w_i + r_i\,\frac{w_i}{s}, \quad "
        r"r_i = \operatorname{clip}\left(\frac{i - \lfloor a_{32} \rfloor}{\lceil a_1 \rceil - \lfloor a_{32} \rfloor},"
        r" 0, 1\right), \quad "
        r"a_\beta = \frac{d \ln \frac{L_0}{2\pi\beta}}{2 \ln b}, \quad t = 0.1 \ln s + 1",
        (
            NEW,
            ("r_i", "share of pair i that is interpolated: 0 for fast pairs, 1 for slow ones"),
            PLAIN,
            FACTOR,
            PAIR,
            (r"a_\beta", "the pair that makes β turns in the length of the training"),
            WIDTH,
            TRAINED,
            (r"\beta", "turns: pairs with more than 32 stay, pairs with fewer than 1 are interpolated"),
            BASE,
            ("t", "attention factor: cosine and sine are multiplied by it, and each score by its square"),
        ),
        "Peng and others 2023, YaRN: Efficient Context Window Extension of Large Language Models, 3.2 and 3.4",
    ),
    by_parts,
)
