"""One run of a model over one text: what it read, what it attended to, what came out, and how that is known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture.call import EVERYTHING, AttentionCall
from core.text import Tokens

STREAMS = ("self", "encoder", "decoder", "cross")


@dataclass(frozen=True)
class Check:
    """A·V = O: the drawn weights times the values give the model's own output, on the last query of each call.

    error: the largest difference over all calls and heads, as a share of the head's largest value.
    tolerance: what rounding may cost in the model's number format.
    """

    error: float
    tolerance: float
    calls: int

    @property
    def passed(self) -> bool:
        return not math.isnan(self.error) and self.error <= self.tolerance


@dataclass(frozen=True)
class Provenance:
    """Where the numbers come from: enough to make them again."""

    model: str
    revision: str
    dtype: str
    device: str
    backend: str
    mask: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Output:
    """What the model answered: its last tensor and what it means.

    kind     "labels" (logits (labels,)), "next tokens" (logits (vocabulary,) after the last token),
             "token logits" ((T, ...), what a masked language model or a tagger says of each token), or
             "hidden states" ((T, width)) for a model without a head
    names    names of the labels, or () where the kind has none
    """

    kind: str
    values: Tensor
    names: tuple[str, ...] = ()


class Trace:
    """Everything that later code reads about a run; weights are computed for the asked window only.

    `streams` is ("self",) for encoders and decoders and ("encoder", "decoder", "cross") for encoder-decoders.
    """

    def __init__(
        self,
        tokens: Tokens,
        calls: Iterable[AttentionCall],
        provenance: Provenance,
        output: Output,
        sides: Mapping[str, tuple[Tokens, Tokens]] | None = None,
    ) -> None:
        """sides: the tokens of the rows and of the columns of each stream; the text's own tokens when left out."""
        self.tokens = tokens
        self.provenance = provenance
        self.output = output
        by_stream: dict[str, list[AttentionCall]] = {}
        for call in calls:
            by_stream.setdefault(call.stream, []).append(call)
        self._calls = {stream: tuple(by_stream[stream]) for stream in STREAMS if stream in by_stream}
        self._sides = dict.fromkeys(self._calls, (tokens, tokens)) | dict(sides or {})
        for stream, stream_calls in self._calls.items():
            queries, keys = (len(side) for side in self._sides[stream])
            if any((call.queries, call.keys) != (queries, keys) for call in stream_calls):
                raise ValueError(f"{stream}: the calls do not have {queries} queries and {keys} keys as the tokens do")

    @property
    def streams(self) -> tuple[str, ...]:
        return tuple(self._calls)

    def layers(self, stream: str | None = None) -> int:
        """Number of attention layers of a stream."""
        return len(self._stream(stream))

    def heads(self, stream: str | None = None) -> int:
        """Number of heads of a stream's layers; the largest where layers differ."""
        return max(call.heads for call in self._stream(stream))

    def key_value_heads(self, stream: str | None = None) -> int:
        """Number of key-value heads: fewer than `heads` where query heads share them."""
        return max(call.key_value_heads for call in self._stream(stream))

    def queries(self, stream: str | None = None) -> Tokens:
        """The tokens of the rows."""
        return self._sides[stream or self.streams[0]][0]

    def keys(self, stream: str | None = None) -> Tokens:
        """The tokens of the columns."""
        return self._sides[stream or self.streams[0]][1]

    def attention(
        self,
        layer: int,
        heads: Sequence[int] | None = None,
        stream: str | None = None,
        rows: slice = EVERYTHING,
        cols: slice = EVERYTHING,
    ) -> Tensor:
        """Attention weights: float32 (heads, queries, keys) on the CPU; all heads when None. Costs only this window."""
        return self._call(layer, stream).weights(heads, rows, cols).cpu()

    def masked(
        self, layer: int, stream: str | None = None, rows: slice = EVERYTHING, cols: slice = EVERYTHING
    ) -> Tensor:
        """Cells the model could not attend to: bool (queries, keys) on the CPU, the same for all heads of a layer."""
        call = self._call(layer, stream)
        blocked = call.masked(rows, cols).all(dim=0)  # (1 or H, rows, cols) -> (rows, cols)
        rows_asked = len(range(call.queries)[rows])
        return blocked.expand(rows_asked, -1).cpu()

    @property
    def nbytes(self) -> int:
        """Memory that the trace keeps alive, each storage counted once."""
        tensors = [
            t
            for calls in self._calls.values()
            for call in calls
            for t in (call.query, call.key, call.mask, call.bias)
            if t is not None
        ]
        storages = {
            t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in [*tensors, self.output.values]
        }
        return sum(storages.values())

    def _stream(self, stream: str | None) -> tuple[AttentionCall, ...]:
        stream = stream or self.streams[0]
        if stream not in self._calls:
            raise KeyError(f"stream {stream!r} is not one of {self.streams}")
        return self._calls[stream]

    def _call(self, layer: int, stream: str | None) -> AttentionCall:
        calls = self._stream(stream)
        if not 0 <= layer < len(calls):
            raise IndexError(f"layer {layer} is not one of 0 to {len(calls) - 1}")
        return calls[layer]


def check_of(errors: Sequence[Sequence[float]], dtype: torch.dtype) -> Check:
    """Sum up the errors of a recording.

    The tolerance is a number of rounding units of the model's format. float32 gets more of them, because the order
    of its sums differs between kernels; in the 16-bit formats the one rounding of the output dominates.
    """
    flat = [error for call in errors for error in call]
    worst = math.nan if any(math.isnan(e) for e in flat) else max(flat)
    units = 64 if dtype == torch.float32 else 4
    return Check(error=worst, tolerance=units * torch.finfo(dtype).eps, calls=len(errors))
