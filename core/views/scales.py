"""Colour scales: how a weight, as a share of the largest, becomes a place on the colour ramp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LOG_DECADES = 4

# What the strongest colour stands for.
SPANS = {
    "head": "the head's largest weight",
    "row": "each row's largest weight",
    "all": "the largest weight of all heads",
    "one": "a weight of 1",
}


@dataclass(frozen=True)
class Scale:
    """`place` maps shares in [0, 1] to [0, 1], keeping their order; `share` is its inverse.

    name and span are its words in captions.
    """

    name: str
    span: str
    place: Callable[[np.ndarray], np.ndarray]
    share: Callable[[np.ndarray], np.ndarray]


def scale_words(scale: str, top: str) -> str:
    """A scale and what it covers, for a caption. top: what the strongest colour stands for."""
    return f"{SCALES[scale].name} {SCALES[scale].span} {top}"


def short_number(value: float) -> str:
    """A weight in two digits, as the legends in the browser write it."""
    if value == 0:
        return "0"
    digits = f"{value:.1e}" if value < 0.001 else np.format_float_positional(float(f"{value:.2g}"), trim="-")
    return digits.replace("e-0", "e-")


def _log(share: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.clip(1 + np.log10(share) / LOG_DECADES, 0, 1)


SCALES = {
    "linear": Scale("linear colour scale", "from 0 to", lambda share: share, lambda place: place),
    "sqrt": Scale("square-root colour scale", "from 0 to", np.sqrt, np.square),
    "log": Scale(
        "logarithmic colour scale",
        f"over {LOG_DECADES} decades up to",
        _log,
        lambda place: 10.0 ** (LOG_DECADES * (place - 1)),
    ),
}
