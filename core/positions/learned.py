"""A learned vector for each position, added to the embeddings (Gehring and others 2017; BERT, GPT-2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.positions.encoding import Encoding
from core.positions.objects import ByDistance, Formula, Thing
from core.positions.settings import Settings

# Of its entries at first, standard deviation: as large as sinusoids are, for a sine squared is one half on average.
INITIAL = 0.5**0.5


FORMULA = Formula(
    r"x_p = t_p + P_p, \qquad 0 \le p < L",
    (
        ("x_p", "what the first layer reads at position p"),
        ("t_p", "embedding of the token there"),
        ("P_p", "row p of the table, as wide as the embeddings and learned like them"),
        ("p", "position of a token in its text, from 0"),
        ("L", "rows of the table: the longest text that it can be read with"),
    ),
    'Gehring and others 2017, "Convolutional Sequence to Sequence Learning", section 3.1',
)


def thing(settings: Settings) -> Thing:
    """Raises HeadlightError: the table belongs to a trained model."""
    raise HeadlightError("A learned position table belongs to a model and is no formula: open a model that has one.")


def by_distance(settings: Settings) -> ByDistance:
    """Raises HeadlightError, as `thing` does."""
    raise HeadlightError("How alike learned positions are is a model's and no formula: open a model that has a table.")


class Learned(Encoding):
    """Adds row p of its table to the token at position p; there is no row beyond the table."""

    def __init__(self, width: int, length: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, width) * INITIAL)  # (rows, D)

    def add(self, hidden: Tensor, places: Tensor | None = None) -> Tensor:
        """See `Encoding.add`. Raises HeadlightError for a text longer than the table."""
        if places is None:
            places = torch.arange(hidden.shape[1], device=hidden.device)  # (T,)
        rows = self.table.shape[0]
        if hidden.shape[1] > rows and (tokens := int(places.max()) + 1) > rows:
            raise HeadlightError(
                f"The text has {tokens:,} tokens, but the model's position table ends at {rows:,}: shorten the text."
            )
        return hidden + self.table[places]  # (B, T, D) + ((B,) T, D)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack: a table of `length` rows."""
    return Learned(width, length)
