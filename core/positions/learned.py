"""A learned vector for each position, added to the embeddings (Gehring and others 2017; BERT, GPT-2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.positions.encoding import Encoding

# Of its entries at first, standard deviation: as large as sinusoids are, for a sine squared is one half on average.
INITIAL = 0.5**0.5


def matrix(length: int, width: int) -> Tensor:
    """Raises HeadlightError: the table belongs to a trained model."""
    raise HeadlightError("A learned position table belongs to a model and is no formula: open a model that has one.")


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
