"""One run of a model over one text: what it read, what it attended to, what came out, and how that is known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture.detail import QueryKeyDetail
from core.capture.kept import EVERYTHING, Call
from core.capture.logits import logits_of
from core.capture.next_tokens import NextToken, NextTokens
from core.capture.output import Output
from core.capture.query_key import query_key_detail
from core.capture.streams import OFFSET_STREAMS, STREAMS
from core.errors import HeadlightError
from core.text import Tokens


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
    """Where the numbers come from: enough to make them again.

    backend, mask, checks: empty where a model without attention ran.
    remark: what every figure must say besides, such as that weights are random; "" where there is nothing.
    """

    model: str
    revision: str
    dtype: str
    device: str
    backend: str
    mask: str
    checks: tuple[Check, ...]
    remark: str = ""


class Trace:
    """Everything that later code reads about a run; weights are computed for the asked window only.

    `produced` are the tokens that came after an encoder-decoder's decoder rows, one a row from the first on, its end
    token among them; None for other models.
    `streams` is ("self",) for encoders and decoders, ("encoder", "decoder", "cross") for encoder-decoders,
    ("cross",) or ("pooling",) over RNNs, and () for a model without attention.
    """

    def __init__(
        self,
        tokens: Tokens,
        calls: Iterable[Call],
        provenance: Provenance,
        output: Output,
        sides: Mapping[str, tuple[Tokens, Tokens]] | None = None,
        predicted: Mapping[str, tuple[str, ...]] | None = None,
        after: str | None = None,
        produced: Tokens | None = None,
        following: NextTokens | None = None,
    ) -> None:
        """sides: the tokens of the rows and of the columns of each stream; the text's own tokens when left out.

        predicted: for streams of a language model, the label of the token that it finds most probable after each row.
        after: the label of the token that came after the last that an encoder-decoder's decoder read, where one did.
        produced, following: of an encoder-decoder, the tokens that came after its decoder's rows, and might have.
        """
        self._after = after
        self._following = following
        self.produced = produced
        self._predicted = dict(predicted or {})
        self.tokens = tokens
        self.provenance = provenance
        self.output = output
        by_stream: dict[str, list[Call]] = {}
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

    @property
    def first_stream(self) -> str:
        """The stream that is meant where none is named. Raises HeadlightError for a model without attention."""
        if not self._calls:
            raise HeadlightError(f"{self.provenance.model} has no attention, so it has no weights: look at its output.")
        return self.streams[0]

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
        return self._sides[stream or self.first_stream][0]

    def keys(self, stream: str | None = None) -> Tokens:
        """The tokens of the columns."""
        return self._sides[stream or self.first_stream][1]

    @property
    def said(self) -> Tokens | None:
        """What an encoder-decoder's decoder read, from its start token on; None for other models."""
        return self._sides["cross"][0] if "cross" in self._sides else None

    @property
    def said_ids(self) -> tuple[int, ...]:
        """Ids of `produced`, such as `Model.run(prefix=...)` takes; () for other models."""
        return () if self.produced is None else self.produced.ids

    def next_tokens(self, row: int) -> tuple[NextToken, ...]:
        """The ten likeliest tokens after a row of an encoder-decoder's decoder, the most probable first.

        () where they are not known: for other models, and for texts so long that not all logits were kept.
        Raises IndexError for a row that there is not.
        """
        return () if self._following is None else self._following.after(row)

    def probability(self, row: int) -> float | None:
        """The model's probability of the token that came after a row, in `produced` at the same place.

        None where it is not known, and after a last row that nothing came after.
        """
        following = self._following
        return None if following is None or row >= len(following.came) else float(following.came[row])

    def predicted(self, stream: str | None = None) -> tuple[str, ...] | None:
        """Labels of the most probable next token of each row; None where the stream predicts nothing."""
        return self._predicted.get(stream or self.first_stream)

    def followed(self, stream: str | None = None) -> tuple[str | None, ...]:
        """Labels of the token that came after each row's, None after the last where none is known.

        Only for a decoder's rows, whose weights belong to that next token; () for other streams.
        """
        if (stream or self.first_stream) not in OFFSET_STREAMS or self.said is None:
            return ()
        return (*self.said.labels[1:], self._after)

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

    def scores(
        self, layer: int, heads: Sequence[int] | None = None, stream: str | None = None, rows: slice = EVERYTHING
    ) -> Tensor | None:
        """What the softmax is taken of: float32 (heads, rows, keys) on the CPU, -inf where masked; all heads when None.

        None where only weights are known, and where a head was changed; see `core.capture.logits`.
        """
        scores = logits_of(self._call(layer, stream), heads, rows)
        return None if scores is None else scores.cpu()

    def masked(
        self, layer: int, stream: str | None = None, rows: slice = EVERYTHING, cols: slice = EVERYTHING
    ) -> Tensor:
        """Cells the model could not attend to: bool (queries, keys) on the CPU, the same for all heads of a layer."""
        call = self._call(layer, stream)
        blocked = call.masked(rows, cols).all(dim=0)  # (1 or H, rows, cols) -> (rows, cols)
        rows_asked = len(range(call.queries)[rows])
        return blocked.expand(rows_asked, -1).cpu()

    def query_key(self, layer: int, head: int, query: int, stream: str | None = None) -> QueryKeyDetail:
        """How one query token came to its weights, step by step; `query` is its position."""
        return query_key_detail(self._call(layer, stream), head, query)

    def dead_rows(self, layer: int, stream: str | None = None) -> Tensor:
        """Queries that could attend to nothing, such as padding: bool (queries,) on the CPU."""
        return self.masked(layer, stream).all(dim=-1)

    def sink_share(
        self, layer: int, heads: Sequence[int] | None = None, stream: str | None = None, rows: slice = EVERYTHING
    ) -> Tensor:
        """The part of each row that goes to none of its keys: float32 (heads, rows) on the CPU; mostly zero."""
        return self._call(layer, stream).sink_share(heads, rows).cpu()

    def has_sink(self, layer: int, stream: str | None = None) -> bool:
        """Whether the layer's rows sum to less than one; `rest` says where the rest goes."""
        return self._call(layer, stream).has_sink

    def rest(self, layer: int, stream: str | None = None) -> str:
        """Where the rest of a row goes in a layer that has a sink: "no token", or what else shares the softmax."""
        return self._call(layer, stream).rest

    def kind(self, layer: int, stream: str | None = None) -> str:
        """What the layer is limited to: "global", or such as "sliding window of 4096"."""
        return self._call(layer, stream).kind

    def mask_name(self, stream: str | None = None) -> str:
        """What the stream's first layer lets a query see: "bidirectional", "causal", "restricted" or "one-token"."""
        return self._call(0, stream).mask_name

    def path(self, layer: int, stream: str | None = None) -> str:
        """The module that computed the layer, as the model names it: layers of other kinds may lie between."""
        return self._call(layer, stream).path

    def groups(self, layer: int, stream: str | None = None) -> tuple[int, ...]:
        """The key-value head that each head of the layer reads."""
        return self._call(layer, stream).groups

    @property
    def changed(self) -> tuple[tuple[str, int, int], ...]:
        """Stream, layer and head of each head that ran with another map than its own; see `core.capture.changes`."""
        return tuple(
            (stream, call.layer, head)
            for stream, calls in self._calls.items()
            for call in calls
            for head in sorted(call.changed)
        )

    @property
    def exact(self) -> bool:
        """False where the run was kept in 16 bits: its numbers are good for a picture, and not to be exported."""
        return all(call.exact for calls in self._calls.values() for call in calls)

    @property
    def nbytes(self) -> int:
        """Memory that the trace keeps alive, each storage counted once."""
        tensors = [tensor for calls in self._calls.values() for call in calls for tensor in call.kept]
        following = self._following.tensors if self._following else ()
        storages = {
            t.untyped_storage().data_ptr(): t.untyped_storage().nbytes()
            for t in [*tensors, self.output.values, *following]
        }
        return sum(storages.values())

    def _stream(self, stream: str | None) -> tuple[Call, ...]:
        stream = stream or self.first_stream
        if stream not in self._calls:
            raise KeyError(f"stream {stream!r} is not one of {self.streams}")
        return self._calls[stream]

    def _call(self, layer: int, stream: str | None) -> Call:
        calls = self._stream(stream)
        if not 0 <= layer < len(calls):
            raise IndexError(f"layer {layer} is not one of 0 to {len(calls) - 1}")
        return calls[layer]


def check_of(
    errors: Sequence[Sequence[float]], dtype: torch.dtype, roundings: Sequence[Sequence[float]] | None = None
) -> Check:
    """Sum up the errors of a recording: the one of its heads that comes closest to what it may be off.

    The tolerance is a number of rounding units of the model's format. float32 gets more of them, because the order
    of its sums differs between kernels; in the 16-bit formats the one rounding of the output dominates. Large scores
    and long texts get more where rounding alone may cost more.

    roundings: of each call and head, the units of float32 that may be lost, as `Recording.roundings` gives them.
    """
    units = (64 if dtype == torch.float32 else 4) * torch.finfo(dtype).eps
    allowed = roundings or [[0.0] * len(call) for call in errors]
    pairs = [
        (error, max(units, rounding * torch.finfo(torch.float32).eps))
        for call, of_call in zip(errors, allowed, strict=True)
        for error, rounding in zip(call, of_call, strict=True)
    ]
    broken = [pair for pair in pairs if math.isnan(pair[0])]
    error, tolerance = broken[0] if broken else max(pairs, key=lambda pair: pair[0] / pair[1])
    return Check(error=error, tolerance=tolerance, calls=len(errors))
