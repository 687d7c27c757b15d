"""Colour scales: how a weight, as a share of the largest, becomes a place on the colour ramp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LOG_DECADES = 4


@dataclass(frozen=True)
class Scale:
    """`place` maps shares in [0, 1] to [0, 1], keeping their order; `name` and `span` are its words in captions."""

    name: str
    span: str
    place: Callable[[np.ndarray], np.ndarray]


def scale_words(scale: str, top: str) -> str:
    """A scale and what it covers, for a caption. top: what the strongest colour stands for."""
    return f"{SCALES[scale].name} {SCALES[scale].span} {top}"


def _log(share: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.clip(1 + np.log10(share) / LOG_DECADES, 0, 1)


SCALES = {
    "linear": Scale("linear colour scale", "from 0 to", lambda share: share),
    "sqrt": Scale("square-root colour scale", "from 0 to", np.sqrt),
    "log": Scale("logarithmic colour scale", f"over {LOG_DECADES} decades up to", _log),
}
