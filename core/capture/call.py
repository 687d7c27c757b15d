"""One attention call of a model, kept by reference: weights are computed from it when somebody asks.

Shapes: B batch, H query heads, G key-value heads, T queries, S keys, D width of a head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from core.capture.kept import EVERYTHING, Call

# Scores are computed in blocks of rows of about this many cells (16 MB of float32).
_CELLS = 2**22
# The map that a changed head used instead of its own, for some rows of one text of the batch: float32 (rows, keys).
HeadMap = Callable[["AttentionCall", slice, int], Tensor]


@dataclass(frozen=True, eq=False)
class AttentionCall(Call):
    """What softmax(q kᵀ · scale + bias, masked) needs, as the model handed it to its attention function.

    path, stream, layer, kind, exact are those of every `Call`.

    query    (B, H, T, D), after any rotation
    key      (B, G, S, D), after any rotation; query head h reads key head h // (H // G)
    mask     None, or broadcastable to (B, H, T, S): bool with True = may attend, or float that is added
    causal   without a mask: query i sees keys 0..i only
    scale    factor on q kᵀ
    bias     None, or a position bias that is added, broadcastable to (B, H, T, S)
    softcap  None, or c of c · tanh(q kᵀ · scale / c), which stands in the place of q kᵀ · scale
    sinks    None, or the score of a key that is no token and has no value, broadcastable to (B, H, T, 1)
    replaced maps of the heads that were changed, by head; see `core.capture.changes`
    """

    query: Tensor
    key: Tensor
    mask: Tensor | None
    causal: bool
    scale: float
    bias: Tensor | None
    softcap: float | None = None
    sinks: Tensor | None = None
    replaced: Mapping[int, HeadMap] = field(default_factory=dict)

    @property
    def heads(self) -> int:
        return self.query.shape[1]

    @property
    def key_value_heads(self) -> int:
        return self.key.shape[1]

    @property
    def queries(self) -> int:
        return self.query.shape[2]

    @property
    def keys(self) -> int:
        return self.key.shape[2]

    @property
    def kept(self) -> tuple[Tensor, ...]:
        """See `Call.kept`."""
        return tuple(t for t in (self.query, self.key, self.mask, self.bias, self.sinks) if t is not None)

    @property
    def has_sink(self) -> bool:
        """See `Call.has_sink`."""
        return self.sinks is not None

    @property
    def changed(self) -> frozenset[int]:
        """See `Call.changed`."""
        return frozenset(self.replaced)

    def rounded(self, dtype: torch.dtype) -> AttentionCall:
        """See `Call.rounded`: query and key are copied; a position bias stays, since all layers share one."""
        if self.query.element_size() <= dtype.itemsize:
            return self
        largest = torch.maximum(self.query.abs().amax(), self.key.abs().amax())
        if float(largest) > torch.finfo(dtype).max:
            return self
        return replace(self, query=self.query.to(dtype), key=self.key.to(dtype), exact=False)

    def detached(self) -> AttentionCall:
        """The same call without a graph that would keep a whole forward pass alive."""

        def free(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.detach()

        return replace(
            self, query=self.query.detach(), key=self.key.detach(), mask=free(self.mask), bias=free(self.bias),
            sinks=free(self.sinks),
        )  # fmt: skip

    def part(self, keys: slice, rest: str) -> AttentionCall:
        """The call over some of its keys; what the others have of each row, which rest names, is a sink's score.

        Raises ValueError for a causal call without a mask, whose rows do not say which keys these are.
        """
        if self.causal and self.mask is None:
            raise ValueError("only a call whose mask is given can be parted")
        others = torch.ones(self.keys, dtype=torch.bool, device=self.query.device)
        others[keys] = False
        scores = [self._score_of(others, batch) for batch in range(len(self.query))]

        def cut(tensor: Tensor | None) -> Tensor | None:
            return tensor if tensor is None or tensor.shape[-1] == 1 else tensor[..., keys]

        return replace(
            self, key=self.key[:, :, keys], mask=cut(self.mask), bias=cut(self.bias), sinks=torch.stack(scores),
            rest=rest,
        )  # fmt: skip

    def _score_of(self, keys: Tensor, batch: int) -> Tensor:
        """The one score that weighs as much as some keys, bool (S,), and a sink do together: (H, T, 1)."""
        blocks = []
        step = max(1, _CELLS // (self.heads * self.keys))
        for rows in (slice(start, start + step) for start in range(0, self.queries, step)):
            scores = self.scores(None, rows, batch).masked_fill_(self.masked(rows, EVERYTHING, batch), -torch.inf)
            parts = [scores[..., keys]]  # (H, rows, S) -> (H, rows, others)
            if self.sinks is not None:
                parts.append(self._cut(self.sinks, None, rows, batch).float().expand(*scores.shape[:2], 1))
            blocks.append(torch.cat(parts, dim=-1).logsumexp(dim=-1, keepdim=True))  # (H, rows, 1)
        return torch.cat(blocks, dim=1)

    def weights(
        self,
        heads: Sequence[int] | None = None,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
    ) -> Tensor:
        """The weights that multiply the values: float32 (heads, rows, cols), on the model's device.

        The softmax runs over all keys whatever `cols` asks for. A row with no key to attend to is all zero,
        which is what its output is in the model.
        """
        blocked = self.masked(rows, EVERYTHING, batch, heads)
        # Most encoders block nothing, and a pass over all cells costs as much as the softmax.
        blocks = bool(blocked.any())
        scores = self.scores(heads, rows, batch)
        if blocks:
            scores.masked_fill_(blocked, torch.finfo(scores.dtype).min)
        if self.sinks is not None:
            sinks = self._cut(self.sinks, heads, rows, batch).float()  # (1 or heads, 1 or rows, 1)
            scores = torch.cat([scores, sinks.expand(*scores.shape[:2], 1)], dim=-1)  # (heads, rows, S + 1)
        weights = torch.softmax(scores, dim=-1)[..., : self.keys]  # (heads, rows, S)
        if blocks and bool((dead := blocked.all(dim=-1, keepdim=True)).any()):
            weights = weights.masked_fill(dead, 0.0)
        for place, head in enumerate(range(self.heads) if heads is None else heads):
            if head in self.replaced:
                weights[place] = self.replaced[head](self, rows, batch)
        return weights[..., cols]

    def scores(self, heads: Sequence[int] | None = None, rows: slice = EVERYTHING, batch: int = 0) -> Tensor:
        """What the softmax is taken of where nothing is masked: float32 (heads, rows, S)."""
        query = self.heads_of(self.query[batch], heads)[:, rows].float()  # (heads, rows, D)
        key = self.heads_of(self.key[batch], heads).float()  # (heads, S, D)
        scores = (query @ key.transpose(1, 2)).mul_(self.scale)  # (heads, rows, D) @ (heads, D, S) -> (heads, rows, S)
        if self.softcap is not None:
            scores = torch.tanh(scores / self.softcap) * self.softcap
        if self.bias is not None:
            scores = scores + self._cut(self.bias, heads, rows, batch).float()
        if self.mask is not None and self.mask.dtype != torch.bool:
            scores = scores + self._cut(self.mask, heads, rows, batch).float()
        return scores

    def apply(self, weights: Tensor, value: Tensor, batch: int = 0) -> Tensor:
        """Weights of all heads times the values they multiply: (H, rows, S), (B, G, S, D) -> float32 (H, rows, D)."""
        return weights @ self.heads_of(value[batch]).float()  # (H, rows, S) @ (H, S, D) -> (H, rows, D)

    def masked(
        self,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
        heads: Sequence[int] | None = None,
    ) -> Tensor:
        """True where the model could not attend: bool, broadcastable to (heads, rows, cols)."""
        if self.mask is not None:
            mask = self._cut(self.mask, heads, rows, batch)
            visible = mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2
            return ~visible.expand(-1, -1, self.keys)[..., cols]
        query = torch.arange(self.queries, device=self.query.device)[rows, None]  # (rows, 1)
        key = torch.arange(self.keys, device=self.query.device)[None, cols]  # (1, cols)
        return ((key > query) if self.causal else torch.zeros_like(key > query))[None]  # (1, rows, cols)

    def heads_of(self, tensor: Tensor, heads: Sequence[int] | None = None) -> Tensor:
        """What the chosen query heads, or all, use of (H or G, ...): (heads, ...), copied only if chosen or shared."""
        group = self.heads // tensor.shape[0]
        if heads is None and group == 1:
            return tensor
        return tensor[[h // group for h in (range(self.heads) if heads is None else heads)]]

    def _cut(self, tensor: Tensor, heads: Sequence[int] | None, rows: slice, batch: int) -> Tensor:
        """The asked part of something broadcastable to (B, H, T, S), without building the broadcast."""
        tensor = tensor[(None,) * (4 - tensor.dim())]
        tensor = tensor[batch if tensor.shape[0] > 1 else 0]
        if heads is not None and tensor.shape[0] > 1:
            tensor = tensor[list(heads)]
        return tensor[:, rows if tensor.shape[1] > 1 else EVERYTHING, : self.keys]
