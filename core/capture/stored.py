"""An attention call kept as its weights, where a model computes them out of the library's sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from core.capture.kept import EVERYTHING, Call
from core.capture.origin import Origin


@dataclass(frozen=True, eq=False)
class StoredCall(Call):
    """The weights themselves, as they multiplied the values.

    stored    (B, H, T, S)
    blocked   None, or bool broadcastable to `stored`: True where the query could not attend
    groups_of query heads that share a key-value head
    has_sink  columns that stand for no token were cut off, so rows sum to less than one
    origin    what they are the softmax of, as far as that is known
    remark    what the module says of its scores, in one sentence, where they are no products of queries and keys
    """

    stored: Tensor
    blocked: Tensor | None
    groups_of: int = 1
    has_sink: bool = False
    origin: Origin = field(default_factory=Origin)
    remark: str = ""

    @property
    def heads(self) -> int:
        return self.stored.shape[1]

    @property
    def key_value_heads(self) -> int:
        return self.heads // self.groups_of

    @property
    def queries(self) -> int:
        return self.stored.shape[2]

    @property
    def keys(self) -> int:
        return self.stored.shape[3]

    @property
    def kept(self) -> tuple[Tensor, ...]:
        """See `Call.kept`."""
        return (self.stored, *(() if self.blocked is None else (self.blocked,)), *self.origin.kept)

    def rounded(self, dtype: torch.dtype) -> StoredCall:
        """See `Call.rounded`."""
        if self.stored.element_size() <= dtype.itemsize:
            return self
        return replace(self, stored=self.stored.to(dtype), origin=self.origin.rounded(dtype), exact=False)

    def followed_by(self, row: StoredCall) -> StoredCall:
        """One call of this one's rows and the row of another, for a decoder that asks once for each token."""
        blocked = [call.blocked if call.blocked is not None else call.masked()[None] for call in (self, row)]
        whole = [b.expand(*s.stored.shape[:3], -1) for b, s in zip(blocked, (self, row), strict=True)]
        stored, origin = torch.cat([self.stored, row.stored], 2), self.origin.followed_by(row.origin)
        return replace(self, stored=stored, blocked=torch.cat(whole, 2), origin=origin)

    def after(self, rows: int, keys: int, rest: str) -> StoredCall:
        """The call without its first rows and keys; rest: what those keys are, which have a part of each row."""
        blocked = self.blocked
        if blocked is not None:
            blocked = blocked[..., rows if blocked.shape[-2] > 1 else 0 :, keys if blocked.shape[-1] > 1 else 0 :]
        origin = self.origin.map(lambda tensor: tensor[..., rows:, :], lambda key: key[..., keys:, :])
        stored = self.stored[..., rows:, keys:]
        return replace(self, stored=stored, blocked=blocked, origin=origin, has_sink=True, rest=rest)

    def weights(
        self,
        heads: Sequence[int] | None = None,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
    ) -> Tensor:
        """See `Call.weights`."""
        window = self.stored[batch, :, rows, cols]  # (H, rows, cols)
        # The window is cut before heads are chosen, because choosing copies.
        window = (window if heads is None else window[list(heads)]).float()  # (heads, rows, cols)
        return window if self.blocked is None else window.masked_fill(self.masked(rows, cols, batch, heads), 0)

    def masked(
        self,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
        heads: Sequence[int] | None = None,
    ) -> Tensor:
        """See `Call.masked`."""
        if self.blocked is None:
            size = (1, len(range(self.queries)[rows]), len(range(self.keys)[cols]))
            return torch.zeros(size, dtype=torch.bool, device=self.stored.device)
        blocked = self.blocked.expand(self.stored.shape[0], -1, -1, self.keys)[batch]  # (1 or H, 1 or T, S)
        if heads is not None and blocked.shape[0] > 1:
            blocked = blocked[list(heads)]
        return blocked[:, rows if blocked.shape[1] > 1 else EVERYTHING, cols]
