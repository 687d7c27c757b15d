"""No positions at all: a bidirectional encoder then treats a text as a bag of tokens.

A causal decoder can still count what it sees (Haviv and others 2022, "Transformer Language Models without Positional
Encodings Still Learn Positional Information").
"""

from __future__ import annotations

from core.errors import HeadlightError
from core.positions.encoding import Encoding
from core.positions.objects import ByDistance, Formula, Thing
from core.positions.settings import Settings

FORMULA = Formula(
    r"e_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}}, \qquad f(PX) = P\,f(X)",
    (
        ("e_{ij}", "score of query i for key j, before softmax"),
        (r"q_i,\ k_j", "query of token i and key of token j, from the tokens alone"),
        ("d", "width of a head"),
        ("f", "a layer of a stack without a causal mask"),
        ("X", "its input, a row for each token"),
        ("P", "a permutation of the rows"),
    ),
    'Haviv and others 2022, "Transformer Language Models without Positional Encodings Still Learn Positional '
    'Information"; Lee and others 2019, "Set Transformer", on equivariance',
)


def thing(settings: Settings) -> Thing:
    """Raises HeadlightError: there is nothing to show."""
    raise HeadlightError("Without positions there is no matrix to show: choose another scheme.")


def by_distance(settings: Settings) -> ByDistance:
    """Raises HeadlightError, as `thing` does."""
    raise HeadlightError("Without positions no distance differs from another: choose another scheme.")


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding that changes nothing."""
    return Encoding()
