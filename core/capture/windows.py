"""The band of Longformer and LED and the blocks of LongT5, read as rows over all keys.

Their weights are computed in a layout of their own, so what the tap sees there needs to know which key a column is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.capture.frames import Frame
from core.capture.interface import unheard
from core.capture.layout import one_for_all_heads
from core.capture.origin import Origin
from core.capture.proof import error_of_product
from core.capture.scores import LOWEST_SCORE
from core.capture.sparse import SparseCall

BANDED = {"LongformerSelfAttention", "LEDEncoderSelfAttention"}
BLOCKED = {"LongT5LocalAttention", "LongT5TransientGlobalAttention"}


def is_banded(module: nn.Module) -> bool:
    """Whether the module's softmax runs over a band around each query."""
    return type(module).__name__ in BANDED


def is_in_blocks(module: nn.Module) -> bool:
    """Whether the module's softmax runs over blocks of queries and their neighbours."""
    return type(module).__name__ in BLOCKED


class BandReader:
    """Puts together what one call of Longformer's attention computes: the band, then rows of global queries if any."""

    def __init__(
        self, frame: Frame, length: int, keep: Callable[[nn.Module, SparseCall, Tensor, Tensor], None]
    ) -> None:
        """length: queries and keys that are the text's; the model pads to a multiple of its window."""
        self._frame = frame
        self._length = length
        self._keep = keep
        self._softmaxes: list[tuple[Tensor, Tensor]] = []

    def add(self, weights: Tensor, logits: Tensor) -> None:
        """The band (B, T, H, G + 2 w + 1) with G global keys, then the rows of global queries (B · H, G, T)."""
        self._softmaxes.append((weights, logits < LOWEST_SCORE))

    @torch.no_grad()
    def __call__(self, output: tuple[Tensor, ...]) -> None:
        """Hand on the call when the module's output (B, T, H · D) is there."""
        with unheard():
            call = self._call()
            self._keep(self._frame.module, call, self._hidden, self._error(call, output[0]))

    def _call(self) -> SparseCall:
        """Column c of query i is key i + c - w, after the global keys."""
        module: Any = self._frame.module
        (weights, blocked), *globals_ = self._softmaxes
        length, window = self._length, module.one_sided_attn_window_size
        padded = self._frame.kwargs.get("is_index_masked")
        if padded is not None:
            blocked = blocked | padded[:, :, None, None]
        weights, blocked = (t.transpose(1, 2)[:, :, :length] for t in (weights, blocked))  # (B, H, T, C)
        places = _offsets(length, window, weights.device)[None]  # (1, T, 2 w + 1)
        whole = None
        if globals_:
            queries = _places_of_globals(self._frame.kwargs["is_index_global_attn"])  # (B, G)
            before = queries[:, None, :].expand(-1, length, -1)  # (B, T, G)
            places = torch.cat([before, places.expand(len(queries), -1, -1)], dim=2)
            rows, unseen = (t.unflatten(0, (len(queries), -1))[..., :length] for t in globals_[0])  # (B, H, G, T)
            whole = (rows, one_for_all_heads(unseen), queries)
        origin = Origin(query=self._states("query") * self._width**-0.5, key=self._states("key"))
        return SparseCall(
            path="", stream="", layer=0, stored=weights, places=places, blocked=one_for_all_heads(blocked),
            key_count=length, whole=whole, kind=f"sliding window of {2 * window + 1}", origin=origin,
            of_whole=Origin() if whole is None else self._origin_of_whole(whole[2]),
        )  # fmt: skip

    @property
    def _hidden(self) -> Tensor:
        """What the module reads: (B, T, H · D)."""
        hidden = self._frame.first_tensor
        assert hidden is not None
        return hidden

    @property
    def _width(self) -> int:
        """Of a head."""
        module: Any = self._frame.module
        width: int = module.head_dim
        return width

    def _states(self, name: str) -> Tensor:
        """What a linear layer of the module makes of its input, computed again: (B, H, T, D)."""
        module: Any = self._frame.module
        states: Tensor = getattr(module, name)(self._hidden[:, : self._length])  # (B, T, H · D)
        return states.unflatten(-1, (module.num_heads, module.head_dim)).transpose(1, 2)

    def _origin_of_whole(self, places: Tensor) -> Origin:
        """Of the global queries (B, G), which have layers of their own."""
        query = self._states("query_global") * self._width**-0.5
        rows = places.clamp_min(0)[:, None, :, None].expand(-1, query.shape[1], -1, query.shape[3])  # (B, H, G, D)
        return Origin(query=query.gather(2, rows), key=self._states("key_global"))

    def _error(self, call: SparseCall, output: Tensor) -> Tensor:
        """A·V = O at the text's last query: (H,)"""
        module: Any = self._frame.module
        hidden = self._hidden
        last = slice(self._length - 1, self._length)
        shape = (*hidden.shape[:2], module.num_heads, module.head_dim)
        ours = output.view(shape).transpose(1, 2)[:, :, last]  # (B, H, 1, D)
        errors = []
        for b in range(hidden.shape[0]):
            of_global = call.whole is not None and self._length - 1 in call.whole[2][b].tolist()
            layer = module.value_global if of_global else module.value
            value = layer(hidden[b : b + 1]).view(1, *shape[1:]).transpose(1, 2)[:, :, : self._length]  # (1, H, T, D)
            errors.append(error_of_product(call.weights(rows=last, batch=b)[None], value, ours[b : b + 1]))
        finite = torch.isfinite(output.view(shape).sum(dim=(0, 1, 3), dtype=torch.float32))  # (B, T, H, D) -> (H,)
        return torch.where(finite, torch.stack(errors).amax(0), torch.nan)


def main_rows(running: Sequence[Frame], queries: int) -> int:
    """How many of the queries read the text as it is.

    ProphetNet's decoder appends one more query a token for each token ahead that it predicts.
    """
    decoder = next((frame for frame in running if type(frame.module).__name__ == "ProphetNetDecoder"), None)
    text = decoder.first_tensor if decoder is not None else None
    return queries if text is None else min(queries, text.shape[1])


def _offsets(length: int, window: int, device: torch.device) -> Tensor:
    """Keys of a band: (T, 2 w + 1)"""
    return torch.arange(length, device=device)[:, None] + torch.arange(-window, window + 1, device=device)


def blocks_of(weights: Tensor, blocked: Tensor, origin: Origin, length: int) -> SparseCall:
    """Blocks, as LongT5's encoder computes them: each block of w queries sees itself and its two neighbours.

    weights, blocked: (B, blocks, H, w, 3 w + summaries); a summary stands for a whole block of tokens, so for no key.
    origin: in the same layout
    length: queries and keys that are the text's
    """
    _, blocks, _, width, columns = weights.shape
    device = weights.device
    block = torch.arange(blocks, device=device)[:, None, None]
    column = torch.arange(columns, device=device)
    places = torch.where(column < 3 * width, (block - 1) * width + column, -1)  # (blocks, 1, C)
    places = places.expand(-1, width, -1).reshape(1, blocks * width, columns)[:, :length]  # (1, T, C)

    def rows_of(tensor: Tensor) -> Tensor:
        rows = tensor.transpose(1, 2).flatten(2, 3)  # (B, blocks, H, w, …) -> (B, H, T, …)
        return rows[:, :, :length]

    return SparseCall(
        path="",
        stream="",
        layer=0,
        stored=rows_of(weights),
        places=places,
        blocked=one_for_all_heads(rows_of(blocked)),
        key_count=length,
        has_sink=columns > 3 * width,
        # Each block's own keys lie between those of its neighbours.
        origin=origin.map(rows_of, lambda key: rows_of(key[..., width : 2 * width, :])),
        kind=f"sliding window of {2 * width - 1}",
    )


def _places_of_globals(is_global: Tensor) -> Tensor:
    """The queries that are global, -1 after the last: (B, T) bool -> (B, G)."""
    most = int(is_global.sum(dim=1).max())
    order = torch.argsort((~is_global).to(torch.int8), dim=1, stable=True)[:, :most]  # the global ones first
    return order.masked_fill(~is_global.gather(1, order), -1)
