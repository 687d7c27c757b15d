"""Which rows of attention a model's answer comes from: what “its attention” to a text means.

Shapes: H heads, T queries, S keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.answers import NEXT_TOKEN, SIMILARITY
from core.models.model import Model
from core.saliency.question import Question

# Rows that are looked at together: of a text of any length no more is in memory.
ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class RowsRead:
    """The rows that are averaged.

    stream  of the trace, see `core.capture.Trace`
    layer   that is read where one is wanted
    rows    places of the queries
    words   which these are, for captions
    """

    stream: str
    layer: int
    rows: tuple[int, ...]
    words: str


def reading_of(question: Question) -> RowsRead:
    """The rows that the answer comes from, in the last layer that can tell.

    Attention pooling has one row. A head that reads one token ([CLS]) has that token's row, one that reads the mean of
    all tokens the mean of all rows; which of them it is follows from the gradient of F to the last states. A decoder's
    next token comes from the row of the last token. A translator's word has the rows that produced it, of the last
    layer but one (the last aligns worse; a single one where there is one).
    Raises HeadlightError for a model without attention.
    """
    trace = question.trace
    if not trace.streams:
        raise HeadlightError(without_attention(question.model))
    if "pooling" in trace.streams:
        return RowsRead("pooling", 0, (0,), "the weights of the attention that sums up the text")
    if "cross" in trace.streams:
        return _of_word(question)
    layer = trace.layers("self") - 1
    if question.target.kind == NEXT_TOKEN:
        last = len(question.tokens) - 1
        return RowsRead("self", layer, (last,), f"row of the last token, “{question.tokens.labels[last]}”")
    if (place := question.target.place) is not None:
        return RowsRead("self", layer, (place,), f"row of “{question.target.at}”, which is asked about")
    rows = question.rows_read
    reader = "pooling" if question.target.kind == SIMILARITY else "head"
    if len(rows) == 1:
        return RowsRead("self", layer, rows, f"row of “{question.tokens.labels[rows[0]]}”, which the {reader} reads")
    every = rows or tuple(range(len(question.tokens)))
    return RowsRead("self", layer, every, f"mean over the rows that the {reader} reads")


def row_scores(question: Question, layer: int, heads: tuple[int, ...] | None = None) -> Tensor:
    """The weights (heads, S) of the rows that are read, averaged over them, in one layer; float64.

    heads: None for all.
    """
    reading = reading_of(question)
    total, count = None, 0
    for part in _runs(reading.rows):
        found = question.trace.attention(layer, heads, reading.stream, rows=part).double().sum(dim=1)  # (H, r, S)
        total = found if total is None else total + found
        count += part.stop - part.start
    assert total is not None
    return total / count


def head_scores(question: Question, layer: int, head: int) -> Tensor:
    """The same of one head: (S,)."""
    return row_scores(question, layer, (head,))[0]


def without_attention(model: Model) -> str:
    """The sentence for a model that has none; "" for one that has."""
    return "" if model.card.streams else f"{model.name} has no attention: choose a gradient or occlusion."


def layers_mean(question: Question, stream: str) -> Iterator[tuple[int, Tensor]]:
    """Each layer of a stream with its map averaged over heads (T, S), float64, from the last to the first."""
    trace = question.trace
    for layer in reversed(range(trace.layers(stream))):
        parts = [
            trace.attention(layer, None, stream, rows=slice(start, start + ROWS_AT_ONCE)).double().mean(dim=0)
            for start in range(0, len(trace.queries(stream)), ROWS_AT_ONCE)
        ]  # (H, r, S) -> (r, S)
        yield layer, torch.cat(parts)


def _of_word(question: Question) -> RowsRead:
    rows = question.word_rows
    layers = question.trace.layers("cross")
    layer = max(0, layers - 2)
    each = "row" if len(rows) == 1 else f"mean over the {len(rows)} rows"
    return RowsRead("cross", layer, rows, f"{each} that produced “{question.target.label}”, cross-attention")


def _runs(rows: tuple[int, ...]) -> Iterator[slice]:
    """The rows as slices of neighbours, none of them long."""
    start = rows[0]
    for before, row in zip(rows, (*rows[1:], None), strict=True):
        if row is None or row != before + 1 or row - start >= ROWS_AT_ONCE:
            yield slice(start, before + 1)
            start = row if row is not None else start
