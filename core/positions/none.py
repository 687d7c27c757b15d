"""No positions at all: a bidirectional encoder then treats a text as a bag of tokens.

A causal decoder can still count what it sees (Haviv and others 2022, "Transformer Language Models without Positional
Encodings Still Learn Positional Information").
"""

from __future__ import annotations

from torch import Tensor

from core.errors import HeadlightError
from core.positions.encoding import Encoding


def matrix(length: int, width: int) -> Tensor:
    """Raises HeadlightError: there is nothing to show."""
    raise HeadlightError("Without positions there is no matrix to show: choose another scheme.")


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding that changes nothing."""
    return Encoding()
