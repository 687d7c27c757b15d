"""What is worth saying about a rotation that was read from a model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from core.positions.facts.pairs import INTERLEAVED
from core.positions.facts.reading import whole, words
from core.positions.facts.rotation import powers
from core.positions.objects import Rotation


def rotation_lines(rotation: Rotation) -> Iterator[tuple[str, str]]:
    """(what, value) pairs."""
    pairs = len(rotation.frequencies)
    turning = rotation.frequencies[rotation.frequencies > 0]
    if rotation.base is not None:
        yield "base", words(rotation.base)
    yield "turned", f"{2 * len(turning)} of {rotation.width} coordinates of a head"
    interleaved = rotation.layout == INTERLEAVED
    yield "pairs", "2i with 2i + 1 (interleaved)" if interleaved else f"i with i + {pairs} (half-split)"
    if rotation.scaling != "none":
        yield "scaling", rotation.scaling + (f", factor {words(rotation.factor)}" if rotation.factor != 1 else "")
    if rotation.temperature != 1:
        yield "temperature", f"cosines and sines times {words(rotation.temperature)}"
    if len(turning):
        shortest, longest = (2 * math.pi / float(speed) for speed in (turning.max(), turning.min()))
        yield "wavelengths", f"{words(shortest)} to {words(longest)} positions"
    if rotation.trained is not None:
        slow = int((rotation.frequencies * rotation.trained < 2 * math.pi).sum())
        yield f"no whole turn in {rotation.trained:,} positions", f"{slow} of {pairs} pairs"


def rotation_notes(rotation: Rotation, config: Any, parameters: dict[str, Any]) -> Iterator[str]:
    """Sentences."""
    if rotation.scaling == "dynamic" and rotation.trained is not None:
        yield (
            f"Nothing is scaled up to {rotation.trained:,} tokens; for a longer text the library works the frequencies "
            "out anew, and keeps them until the next one: these are in memory now."
        )
    if rotation.scaling == "longrope":
        yield "Each pair has one divisor for short texts and one for long ones: those of the last text are in memory."
    if rotation.scaling == "none" and rotation.base is not None and not _follows(rotation, rotation.base):
        yield f"The frequencies in memory are not those of the base {words(rotation.base)} that the config names."
    if whole(getattr(config, "qk_nope_head_dim", None)):
        yield "The last coordinates of each head are turned here, not the first."
    if parameters.get("mrope_section"):
        yield "The pairs are shared out to the three positions that a picture has; in a text all three are the same."


def _follows(rotation: Rotation, base: float) -> bool:
    expected = powers(base, len(rotation.frequencies))
    return bool(torch.allclose(rotation.frequencies, expected, rtol=0.01, atol=0))
