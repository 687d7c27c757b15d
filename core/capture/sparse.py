"""An attention call whose rows hold weights for some keys only: a band around the query, or a block and its neighbours.

Shapes: B batch, H query heads, T queries, S keys, C columns that are kept of each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from core.capture.kept import EVERYTHING, Call
from core.capture.origin import Origin


@dataclass(frozen=True, eq=False)
class SparseCall(Call):
    """The weights as the model computed them, and the key of each.

    stored    (B, H, T, C)
    places    (B or 1, T, C): key of each column; negative or S and more where it is none
    blocked   (B, H or 1, T, C) bool: True where the query could not attend
    keys      S
    whole     None, or rows that see all keys: (weights (B, H, W, S), blocked (B, H or 1, W, S), their queries (B, W),
              where a negative number is no row)
    has_sink  some columns stand for no key, so rows sum to less than one
    origin    what they are the softmax of, as far as that is known
    of_whole  the same of the rows that see all keys: queries (B, H, W, D)
    """

    stored: Tensor
    places: Tensor
    blocked: Tensor
    key_count: int
    whole: tuple[Tensor, Tensor, Tensor] | None = None
    has_sink: bool = False
    origin: Origin = field(default_factory=Origin)
    of_whole: Origin = field(default_factory=Origin)

    @property
    def heads(self) -> int:
        return self.stored.shape[1]

    @property
    def key_value_heads(self) -> int:
        return self.heads

    @property
    def queries(self) -> int:
        return self.stored.shape[2]

    @property
    def keys(self) -> int:
        return self.key_count

    @property
    def kept(self) -> tuple[Tensor, ...]:
        """See `Call.kept`."""
        return (self.stored, self.places, self.blocked, *(self.whole or ()), *self.origin.kept, *self.of_whole.kept)

    def rounded(self, dtype: torch.dtype) -> SparseCall:
        """See `Call.rounded`."""
        if self.stored.element_size() <= dtype.itemsize:
            return self
        whole = None if self.whole is None else (self.whole[0].to(dtype), *self.whole[1:])
        origin, of_whole = self.origin.rounded(dtype), self.of_whole.rounded(dtype)
        return replace(self, stored=self.stored.to(dtype), whole=whole, origin=origin, of_whole=of_whole, exact=False)

    def weights(
        self,
        heads: Sequence[int] | None = None,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
    ) -> Tensor:
        """See `Call.weights`."""
        stored = self._chosen(self.stored, heads, batch)[:, rows].float()  # (heads, rows, C)
        stored = stored.masked_fill(self._chosen(self.blocked, heads, batch)[:, rows], 0)
        full = self._spread(stored, rows, batch)  # (heads, rows, S)
        if self.whole is not None:
            weights = self._chosen(self.whole[0], heads, batch).float()  # (heads, W, S)
            weights = weights.masked_fill(self._chosen(self.whole[1], heads, batch), 0)
            full = self._with_whole_rows(full, weights, rows, batch)
        return full[..., cols]

    def masked(
        self,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
        heads: Sequence[int] | None = None,
    ) -> Tensor:
        """See `Call.masked`."""
        visible = ~self._chosen(self.blocked, heads, batch)[:, rows]  # (1 or heads, rows, C)
        full = self._spread(visible.float(), rows, batch) == 0  # (1 or heads, rows, S)
        if self.whole is not None:
            blocked = self._chosen(self.whole[1], heads, batch)
            full = self._with_whole_rows(full, blocked, rows, batch)
        return full[..., cols]

    def _chosen(self, tensor: Tensor, heads: Sequence[int] | None, batch: int) -> Tensor:
        tensor = tensor[batch]
        return tensor if heads is None or tensor.shape[0] == 1 else tensor[list(heads)]

    def _spread(self, columns: Tensor, rows: slice, batch: int) -> Tensor:
        """(heads, rows, C) -> (heads, rows, S). A key may have two columns, one of which is blocked: they are added."""
        places = self.places[batch if self.places.shape[0] > 1 else 0, rows]  # (rows, C)
        places = torch.where((places < 0) | (places >= self.keys), self.keys, places)
        # Columns that are no key go to one more key, which is cut off.
        full = columns.new_zeros(*columns.shape[:2], self.keys + 1)
        return full.scatter_add(2, places.expand_as(columns), columns)[..., : self.keys]

    def _with_whole_rows(self, full: Tensor, given: Tensor, rows: slice, batch: int) -> Tensor:
        assert self.whole is not None
        asked = list(range(self.queries)[rows])
        given = given.expand(full.shape[0], -1, -1)
        for place, query in enumerate(self.whole[2][batch].tolist()):
            if query in asked:
                full[:, asked.index(query)] = given[:, place, : self.keys]
        return full
