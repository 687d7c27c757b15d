"""The positional schemes by name, in words; what computes them is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.errors import HeadlightError
from core.positions.settings import DEFAULTS, Settings

if TYPE_CHECKING:
    from torch import Tensor

    from core.positions.encoding import Encoding
    from core.positions.objects import ByDistance, Formula, Thing


@dataclass(frozen=True)
class Scheme:
    """One way to give positions to a Transformer.

    name     as configs write it; its formulas are in the module of this package that is called so
    title    as menus write it
    summary  one sentence: where it acts, and on what
    acts     "nowhere", "embeddings", "scores" or "queries and keys"
    trains   whether models of this project can be built with it
    uses     fields of `Settings` that its formula reads, in the order in which sliders show them
    notes    two sentences: what to look at, and where a textbook is wrong or what surprises
    """

    name: str
    title: str
    summary: str
    acts: str
    trains: bool
    uses: tuple[str, ...]
    notes: tuple[str, str]

    @property
    def formula(self) -> Formula:
        """In LaTeX, with every symbol explained."""
        formula: Formula = self._module.FORMULA
        return formula

    def thing(self, settings: Settings = DEFAULTS) -> Thing:
        """What the scheme consists of before any model, for the positions 0 up to `settings.length`.

        Raises HeadlightError for "none" and "learned", which are no formula, and for settings that a scheme cannot
        have, such as an odd width of what is turned in pairs.
        """
        thing: Thing = self._module.thing(settings)
        return thing

    def by_distance(self, settings: Settings = DEFAULTS) -> ByDistance:
        """Similarity, bias or bucket for each offset, key minus query, within the length; up to 0 where causal.

        Raises HeadlightError as `thing` does.
        """
        found: ByDistance = self._module.by_distance(settings)
        return found

    def frequencies(self, settings: Settings = DEFAULTS) -> Tensor | None:
        """Radians a position of each pair of coordinates, after scaling: float64 (P,). None for other schemes."""
        if "base" not in self.uses:
            return None
        frequencies: Tensor = self._module.thing(settings).frequencies
        return frequencies

    def matrix(self, length: int = 128, width: int = 64, **settings: Any) -> Tensor:
        """What the scheme itself computes, before any model: float32, a row for each of `length` positions.

        sinusoidal  (length, width)       what is added to the embeddings
        rotary      (length, width // 2)  the angle, in radians, by which each pair of coordinates is turned
        alibi       (length, length)      what the first head adds to its scores
        others      (length, length)      the row of its table, a whole number, that a query (row) reads for a key
        settings  other fields of `Settings`
        Raises HeadlightError for "none" and "learned", which are no formula, and for impossible settings.
        """
        chosen = Settings(length=length, width=width, **settings)
        matrix: Tensor = import_module("core.positions.matrices").matrix_of(self.thing(chosen), length)
        return matrix

    def encoding(self, width: int, heads: int, length: int, causal: bool) -> Encoding:
        """The module that a stack of layers uses; see `core.positions.encoding.Encoding`.

        width   of the hidden states; each of the `heads` has width // heads of it
        length  rows of a learned table: the longest text that it reads. Other schemes have no such limit
        causal  whether a token sees only those before it
        Raises HeadlightError for a scheme that is not TRAINABLE, and for sizes that do not go together.
        """
        encoding: Encoding = self._module.build(width, heads, length, causal)
        return encoding

    @property
    def _module(self) -> Any:
        return import_module(f"core.positions.{self.name}")


_ALL = (
    Scheme(
        name="none",
        title="None",
        summary="Nothing tells positions apart, except what a causal mask lets a token see.",
        acts="nowhere",
        trains=True,
        uses=(),
        notes=(
            "Reorder the words: in a bidirectional stack the attention map keeps its values and only moves them.",
            "Attention without positions is not invariant, as is often said, but equivariant: its outputs are permuted "
            "along with its inputs, and under a causal mask not even that, because each token can count those before.",
        ),
    ),
    Scheme(
        name="sinusoidal",
        title="Sinusoidal",
        summary="Sines and cosines of the position are added to the embeddings.",
        acts="embeddings",
        trains=True,
        uses=("length", "width", "base"),
        notes=(
            "Each pair of columns swings at its own speed; the product of two rows depends on their distance alone.",
            "The formula has a row for every position, yet trained models mostly fail beyond the lengths they saw; "
            "and similarity does not fall at every step: for width 64 it is higher at distance 32 than at 16.",
        ),
    ),
    Scheme(
        name="learned",
        title="Learned",
        summary="A learned vector for each position is added to the embeddings.",
        acts="embeddings",
        trains=True,
        uses=(),
        notes=(
            "Look for a bright band along the diagonal of the cosines: training has made neighbours alike.",
            "Nothing in the formula knows that 7 follows 6, and after the last row there is no position at all: "
            "a longer text cannot be read.",
        ),
    ),
    Scheme(
        name="shaw",
        title="Relative vectors (Shaw)",
        summary="A learned vector for each clipped distance is added to the keys, and meets the query in the scores.",
        acts="scores",
        trains=True,
        uses=("length", "clip", "causal"),
        notes=(
            "All offsets beyond the clipping distance read one and the same row, so far keys cannot be told apart.",
            "What an offset adds depends on the query, unlike a bias; the paper's vectors for values are mostly left "
            "out, for its own table 3 found no gain in them.",
        ),
    ),
    Scheme(
        name="relative",
        title="Relative bias (T5)",
        summary="A learned number for each head and distance is added to the scores.",
        acts="scores",
        trains=True,
        uses=("length", "buckets", "farthest", "causal"),
        notes=(
            "Near distances have a bucket each and far ones share: at T5's settings, all from 91 on (113 where causal) "
            "read the last.",
            "T5 does not divide its scores by the square root of the head's width, and there is one table for all "
            "layers of a stack, which the first layer owns.",
        ),
    ),
    Scheme(
        name="alibi",
        title="ALiBi",
        summary="A penalty that grows with the distance, faster in some heads, is added to the scores.",
        acts="scores",
        trains=True,
        uses=("length", "heads", "causal"),
        notes=(
            "Where the bias is −ln 100, a key keeps a hundredth of its weight: of eight heads, the first gets there "
            "within ten tokens and the last after more than a thousand.",
            "The slopes are not learned but set by a formula, and the paper's is for causal stacks only: not causal is "
            "our own variant, which takes off half as much for later keys, to tell them from earlier ones.",
        ),
    ),
    Scheme(
        name="rotary",
        title="Rotary (RoPE)",
        summary="Queries and keys are turned by angles that grow with the position.",
        acts="queries and keys",
        trains=True,
        uses=("length", "width", "base", "layout", "scaling", "factor", "trained"),
        notes=(
            "Pairs whose wavelength exceeds the training length never completed a turn there, so longer texts show "
            "them angles that are new; scaling slows them down.",
            "Scores need not fall with the distance: the curve is for queries and keys of ones, and trained ones "
            "can prefer far keys; values are not turned.",
        ),
    ),
    Scheme(
        name="deberta",
        title="Disentangled (DeBERTa)",
        summary="Scores are a sum of content with content, content with position and position with content.",
        acts="scores",
        trains=False,
        uses=("length", "width", "clip", "seed"),
        notes=(
            "Compare the three maps: the scores are their sum, and only the first would be there without positions.",
            "A term of position with position is left out, since relative positions alone say the same in every text; "
            "versions 2 and 3 put far offsets into logarithmic buckets, where the paper clips them.",
        ),
    ),
)  # fmt: skip
SCHEMES: Mapping[str, Scheme] = MappingProxyType({scheme.name: scheme for scheme in _ALL})
TRAINABLE: tuple[str, ...] = tuple(scheme.name for scheme in _ALL if scheme.trains)


def scheme_named(name: str) -> Scheme:
    """The scheme called `name`. Raises HeadlightError where there is none."""
    if name not in SCHEMES:
        raise HeadlightError(f"There is no positional scheme called {name}: choose one of {', '.join(SCHEMES)}.")
    return SCHEMES[name]
