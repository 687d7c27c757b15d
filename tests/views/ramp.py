"""The light ramp of assets/colour.js worked out in Python: from OKLCH to sRGB, chroma given up where it must be."""

from __future__ import annotations

import math

import numpy as np

CHROMA = [0.006, 0.055, 0.11, 0.17, 0.205, 0.16, 0.08]
HUE = [286, 286, 284, 281, 278, 276, 274]
FROM, TO = 0.985, 0.2


def light_ramp(place: float) -> np.ndarray:
    """Red, green and blue, 0 to 255, at a place 0 to 1 of the ramp."""
    steps = np.linspace(0, 1, len(CHROMA))
    chroma, hue = (float(np.interp(place, steps, stops)) for stops in (CHROMA, HUE))
    lightness = FROM + (TO - FROM) * place
    linear = _linear(lightness, chroma, hue)
    left = chroma
    while (linear.min() < -0.0005 or linear.max() > 1.0005) and left > 0:
        left -= 0.004
        linear = _linear(lightness, max(0.0, left), hue)
    value = np.clip(linear, 0, 1)
    return 255 * np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)


def _linear(lightness: float, chroma: float, hue: float) -> np.ndarray:
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    cone = np.array(
        [
            (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
            (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
            (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3,
        ]
    )
    return (
        np.array(
            [
                [4.0767416621, -3.3077115913, 0.2309699292],
                [-1.2684380046, 2.6097574011, -0.3413193965],
                [-0.0041960863, -0.7034186147, 1.707614701],
            ]
        )
        @ cone
    )
