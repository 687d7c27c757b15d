"""What every recorded attention call offers, however it is kept.

Shapes: B batch, H query heads, T queries, S keys.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import torch
from torch import Tensor

EVERYTHING = slice(None)
NO_TOKEN = "no token"


@dataclass(frozen=True, eq=False)
class Call(ABC):
    """One attention call of a model: where it was made, and its weights for whoever asks.

    path     the module that made the call, as `model.named_modules()` names it
    stream   "self", "encoder", "decoder", "cross" or "pooling"
    layer    index of the call within its stream
    kind     "global", or what the layer is limited to, such as "sliding window of 4096"
    rest     where a row's weight goes that its keys do not have, where `has_sink`
    exact    False where what is kept was rounded to 16 bits to save memory: good for a picture, not for a number
    """

    path: str
    stream: str
    layer: int
    kind: str = field(default="global", kw_only=True)
    rest: str = field(default=NO_TOKEN, kw_only=True)
    exact: bool = field(default=True, kw_only=True)

    @property
    @abstractmethod
    def heads(self) -> int: ...

    @property
    @abstractmethod
    def key_value_heads(self) -> int: ...

    @property
    @abstractmethod
    def queries(self) -> int: ...

    @property
    @abstractmethod
    def keys(self) -> int: ...

    @property
    @abstractmethod
    def kept(self) -> tuple[Tensor, ...]:
        """The tensors that the call keeps alive."""

    @property
    @abstractmethod
    def has_sink(self) -> bool:
        """Whether a row gives a part of its weight to what is none of its keys; see `rest`."""

    @property
    def changed(self) -> frozenset[int]:
        """The heads that ran with another map than their own."""
        return frozenset()

    @abstractmethod
    def rounded(self, dtype: torch.dtype) -> Call:
        """The call with what it keeps copied to a 16-bit format, unless that gains nothing or would overflow."""

    @abstractmethod
    def weights(
        self,
        heads: Sequence[int] | None = None,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
    ) -> Tensor:
        """The weights that multiply the values: float32 (heads, rows, cols), on the model's device.

        A row sums to one; to less where the call has sinks, see `sink_share`; to zero where it has no key at all.
        """

    @abstractmethod
    def masked(
        self,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
        batch: int = 0,
        heads: Sequence[int] | None = None,
    ) -> Tensor:
        """True where the model could not attend: bool, broadcastable to (heads, rows, cols)."""

    @property
    def mask_name(self) -> str:
        """ "bidirectional", "causal", "restricted" to something else, or "one-token" where there is but one key.

        What the first query may see tells them apart.
        """
        if self.keys == 1:
            return "one-token"
        hidden = int(self.masked(rows=slice(0, 1))[0, 0].sum())
        return {0: "bidirectional", self.keys - 1: "causal"}.get(hidden, "restricted")

    def labelled(self, path: str, stream: str, layer: int) -> Self:
        """The same call with its place in the model."""
        return replace(self, path=path, stream=stream, layer=layer)

    @property
    def groups(self) -> tuple[int, ...]:
        """The key-value head that each query head reads."""
        return tuple(head // (self.heads // self.key_value_heads) for head in range(self.heads))

    @property
    def own_index(self) -> int | None:
        """The number of the layer as the model counts, other layers than attention included; None without numbers."""
        numbers = re.findall(r"(?:^|\.)(\d+)(?=\.|$)", self.path)
        return int(numbers[-1]) if numbers else None

    def sink_share(self, heads: Sequence[int] | None = None, rows: slice = EVERYTHING, batch: int = 0) -> Tensor:
        """What each row gives to none of its keys, but to a sink, a summary of many or `rest`: (heads, rows)."""
        share = (1 - self.weights(heads, rows, batch=batch).sum(-1)).clamp_min(0)  # (heads, rows, S) -> (heads, rows)
        return share.masked_fill(self.dead_rows(rows, batch, heads), 0) if self.has_sink else torch.zeros_like(share)

    def dead_rows(self, rows: slice = EVERYTHING, batch: int = 0, heads: Sequence[int] | None = None) -> Tensor:
        """True for a query that could attend to nothing: bool, broadcastable to (heads, rows)."""
        return self.masked(rows, EVERYTHING, batch, heads).all(dim=-1)
