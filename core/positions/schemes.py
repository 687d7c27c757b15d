"""The positional schemes by name, in words; what computes them is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.errors import HeadlightError

if TYPE_CHECKING:
    from torch import Tensor

    from core.positions.encoding import Encoding


@dataclass(frozen=True)
class Scheme:
    """One way to give positions to a Transformer.

    name     as configs write it; its formulas are in the module of this package that is called so
    title    as menus write it
    summary  one sentence: where it acts, and on what
    """

    name: str
    title: str
    summary: str

    def matrix(self, length: int = 128, width: int = 64) -> Tensor:
        """What the scheme itself computes, before any model: float32, a row for each of `length` positions.

        sinusoidal  (length, width)       what is added to the embeddings
        rotary      (length, width // 2)  the angle, in radians, by which each pair of coordinates is turned
        relative    (length, length)      the bucket, a whole number, that a query (row) looks a key (column) up in
        alibi       (length, length)      what the first of eight heads adds to its scores
        Raises HeadlightError for "none" and "learned", which are no formula.
        """
        matrix: Tensor = self._module.matrix(length, width)
        return matrix

    def encoding(self, width: int, heads: int, length: int, causal: bool) -> Encoding:
        """The module that a stack of layers uses; see `core.positions.encoding.Encoding`.

        width   of the hidden states; each of the `heads` has width // heads of it
        length  rows of a learned table: the longest text that it reads. Other schemes have no such limit
        causal  whether a token sees only those before it
        """
        encoding: Encoding = self._module.build(width, heads, length, causal)
        return encoding

    @property
    def _module(self) -> Any:
        return import_module(f"core.positions.{self.name}")


_ALL = (
    Scheme("none", "None", "Nothing tells positions apart, except what a causal mask lets a token see."),
    Scheme("sinusoidal", "Sinusoidal", "Sines and cosines of the position are added to the embeddings."),
    Scheme("learned", "Learned", "A learned vector for each position is added to the embeddings."),
    Scheme("relative", "Relative bias (T5)", "A learned number for each head and distance is added to the scores."),
    Scheme("rotary", "Rotary (RoPE)", "Queries and keys are turned by angles that grow with the position."),
    Scheme("alibi", "ALiBi", "A penalty that grows with the distance, faster in some heads, is added to the scores."),
)  # fmt: skip
SCHEMES: Mapping[str, Scheme] = MappingProxyType({scheme.name: scheme for scheme in _ALL})


def scheme_named(name: str) -> Scheme:
    """The scheme called `name`. Raises HeadlightError where there is none."""
    if name not in SCHEMES:
        raise HeadlightError(f"There is no positional scheme called {name}: choose one of {', '.join(SCHEMES)}.")
    return SCHEMES[name]
