"""What a positional scheme consists of, whether a formula gave it or a loaded model: one class for each place it acts.

Shapes: T positions, D width of the embeddings, P pairs of coordinates, H heads, R the farthest distance that is held.
An offset is the key's position minus the query's; column c of what is held by offset is for the offset c - R.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Table:
    """A vector for each position, added to the embeddings: sinusoids, or what a model learned.

    values       float32 (T, D), row p for position p
    learned      whether it was trained; a formula otherwise
    frequencies  float64 (P,), radians a position of its sinusoids; None where it does not consist of any
    halves       whether all sines stand before all cosines, as in Marian's table, and not in turn
    """

    values: Tensor
    learned: bool = False
    frequencies: Tensor | None = None
    halves: bool = False


@dataclass(frozen=True, eq=False)
class Rotation:
    """Angles by which pairs of coordinates of queries and keys are turned, for each position.

    plain        float64 (P,), radians a position before scaling, the fastest pair first
    frequencies  float64 (P,), the same after scaling
    width        of a head's queries and keys; the first 2P coordinates are turned, the rest stay
    layout       "interleaved": pair i is the coordinates 2i, 2i + 1; "half-split": i, i + P
    scaling      one of `core.positions.scaling.SCALINGS`, or the name that a model's config gives
    factor       how many times longer than `trained` the scaled texts are; 1 without scaling
    trained      positions of the training before scaling, None where nothing tells them
    temperature  cosine and sine are multiplied by it, and so each score by its square (YaRN's attention factor)
    base         of the plain frequencies, None where nothing tells it
    """

    plain: Tensor
    frequencies: Tensor
    width: int
    layout: str
    scaling: str = "none"
    factor: float = 1.0
    trained: int | None = None
    temperature: float = 1.0
    base: float | None = None


@dataclass(frozen=True, eq=False)
class Bias:
    """What each head adds to its scores, by offset.

    values  float32 (H, 2R + 1)
    causal  whether keys after the query are masked, so that only offsets up to 0 mean anything
    starts  smallest distances of the buckets, where there are some: up to 0 and after it alike
    slopes  float32 (H,), where the bias is a slope times the distance
    """

    values: Tensor
    causal: bool
    starts: tuple[int, ...] = ()
    slopes: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Buckets:
    """Which row of a learned table an offset reads, where the table itself is a model's: whole numbers (2R + 1,).

    starts  smallest distances at which another row begins, of keys up to the query
    rows    of the table
    causal  as in `Bias`
    """

    numbers: Tensor
    starts: tuple[int, ...]
    rows: int
    causal: bool = False


@dataclass(frozen=True, eq=False)
class OffsetVectors:
    """A learned vector for each offset, that queries (or keys) are multiplied by: Shaw's, DeBERTa's.

    values   float32 (rows, width)
    buckets  which row an offset reads
    """

    values: Tensor
    buckets: Buckets


@dataclass(frozen=True, eq=False)
class Terms:
    """The score between two tokens as DeBERTa adds it up, float32 (H, T, T) each, scaled, so that their sum is it.

    content_to_content   Qc Kcᵀ
    content_to_position  Qc Krᵀ, gathered by offset
    position_to_content  Kc Qrᵀ, gathered by offset
    absent               names of those that a model does not have: they are zero
    """

    content_to_content: Tensor
    content_to_position: Tensor
    position_to_content: Tensor
    absent: tuple[str, ...] = ()

    @property
    def total(self) -> Tensor:
        """The scores: float32 (H, T, T)."""
        return self.content_to_content + self.content_to_position + self.position_to_content


@dataclass(frozen=True, eq=False)
class ByDistance:
    """One number for each offset.

    offsets  whole numbers (N,), rising
    values   float32 (H, N): a row a head, one row where heads do not differ
    what     "similarity" or "effect" (a factor on weights), both 1 at offset 0; "bias" (added to a score), "bucket",
             "weight" or "score"
    low, high  (N,) smallest and largest over positions, where several positions share an offset; else None
    """

    offsets: Tensor
    values: Tensor
    what: str
    low: Tensor | None = None
    high: Tensor | None = None


@dataclass(frozen=True)
class Formula:
    """A formula in LaTeX, with every symbol explained.

    symbols  (LaTeX, words) of each, in the order of appearance
    source   who published it
    """

    latex: str
    symbols: tuple[tuple[str, str], ...]
    source: str


Thing = Table | Rotation | Bias | Buckets | OffsetVectors
