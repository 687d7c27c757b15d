"""What the sliders of a scheme say: one set of settings for all schemes, each of which reads those that it has."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.errors import HeadlightError

LAYOUTS = ("interleaved", "half-split")
# Cells of the largest matrix that is worked out, 64 MiB of float32.
MOST_CELLS = 1 << 24
MOST_HEADS = 1024
LARGEST_BASE = 1e12


@dataclass(frozen=True)
class Settings:
    """Numbers that a scheme's formula has. Raises HeadlightError, one sentence, for those that it cannot have.

    length    positions that are shown
    width     of the embeddings, or of one head's queries and keys
    base      of the frequencies
    heads     of a layer
    causal    whether keys after the query are masked
    layout    one of LAYOUTS: which coordinates make a pair of a rotation
    scaling   one of `core.positions.scaling.SCALINGS`
    factor    how many times longer than in training the texts are, at least 1
    trained   positions of the training that scaling starts from
    buckets, farthest  rows and last distance of T5's (and DeBERTa v2's) buckets
    clip      distance beyond which all offsets count as one (Shaw, DeBERTa)
    seed      of vectors drawn at random, where a formula has no others
    """

    length: int = 128
    width: int = 64
    base: float = 10_000.0
    heads: int = 8
    causal: bool = False
    layout: str = "interleaved"
    scaling: str = "none"
    factor: float = 4.0
    trained: int = 2048
    buckets: int = 32
    farthest: int = 128
    clip: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("length", "width", "heads", "trained", "buckets", "farthest", "clip"):
            number = getattr(self, name)
            if type(number) is not int or not 1 <= number <= MOST_CELLS:
                raise HeadlightError(
                    f"The {name} of a positional scheme is a whole number from 1 to {MOST_CELLS:,}, not {number}."
                )
        if type(self.seed) is not int or not 0 <= self.seed < 2**63:
            raise HeadlightError(f"A seed is a whole number from 0 to 2^63 - 1, not {self.seed}.")
        if self.length * max(self.length, self.width) > MOST_CELLS:
            raise HeadlightError(
                f"A length of {self.length:,} with a width of {self.width:,} makes a matrix that is too large to show: "
                f"choose less, such that their product and the square of the length stay below {MOST_CELLS:,}."
            )
        if self.heads > MOST_HEADS:
            raise HeadlightError(f"{self.heads:,} heads are more than any model has: choose {MOST_HEADS:,} or fewer.")
        if not (math.isfinite(self.base) and 1 < self.base <= LARGEST_BASE):
            raise HeadlightError(
                f"The base of the frequencies is a number above 1 and up to {LARGEST_BASE:,.0f}, not {self.base:g}."
            )
        if not (math.isfinite(self.factor) and 1 <= self.factor <= LARGEST_BASE):
            raise HeadlightError(f"The factor of a scaling is a number from 1 on, not {self.factor:g}.")
        if self.layout not in LAYOUTS:
            raise HeadlightError(f"There is no layout of pairs called {self.layout}: choose {' or '.join(LAYOUTS)}.")


DEFAULTS = Settings()
