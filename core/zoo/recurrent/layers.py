"""Layers of torch's own RNNs over packed texts, in one direction or in both.

Shapes: B batch, S tokens, I width of the input, H width of a layer's states.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from core.zoo.recurrent.fused import FUSED
from core.zoo.recurrent.padding import lengths_of


class States(NamedTuple):
    """What the last layer gives.

    each   (B, S, H), h = [forward; backward], zero where there is padding
    final  (B, 1, H), or (B, 2, H) for an LSTM, whose second part is the cell's: where each direction ended, the
           forward one at the text's last token and the backward one at its first
    """

    each: Tensor
    final: Tensor


class RecurrentLayers(nn.Module):
    """In both directions, each has half of the width; dropout lies between layers."""

    def __init__(
        self, kind: str, input_width: int, width: int, layers: int = 1, bidirectional: bool = True, dropout: float = 0.0
    ) -> None:
        super().__init__()
        directed = width // 2 if bidirectional else width
        widths = [input_width, *[width] * (layers - 1)]
        self.stack = nn.ModuleList(
            FUSED[kind](below, directed, batch_first=True, bidirectional=bidirectional) for below in widths
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, embedded: Tensor, mask: Tensor) -> States:
        """Embedded (B, S, I) and mask (B, S), 0 or False where there is padding, which must come last."""
        packed = pack_padded_sequence(embedded, lengths_of(mask), batch_first=True, enforce_sorted=False)
        packed, ends = self.stack[0](packed)
        for layer in self.stack[1:]:
            packed, ends = layer(_with(packed, self.dropout(packed.data)))
        each, _ = pad_packed_sequence(packed, batch_first=True, total_length=embedded.shape[1])
        return States(each, _joined(ends))


def _with(packed: PackedSequence, data: Tensor) -> PackedSequence:
    return PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)


def _joined(ends: Any) -> Tensor:
    """A tensor (directions, B, H / directions), or an LSTM's two -> (B, parts, H)."""
    parts = ends if isinstance(ends, tuple) else (ends,)
    return torch.stack([part.transpose(0, 1).flatten(1) for part in parts], dim=1)
