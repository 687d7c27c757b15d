"""Attention between words, a row a word that was produced: what an alignment is drawn and judged from.

A decoder's row t reads token y_{t-1} and produces y_t, so there are two ways to say which row belongs to a word:
reads="output": the row that produces it (alignment with output, AWO); reads="input": the row that is fed with it, one
later (alignment with input, AWI). The attention of a recurrent decoder always belongs to the output; in the lower
layers of a Transformer the other reading often aligns better: Chen et al. (2020), Accurate Word Alignment Induction
from Neural Machine Translation, https://arxiv.org/abs/2004.14837.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from core.capture.streams import OFFSET_STREAMS
from core.capture.trace import Trace
from core.capture.word_groups import Group, groups_of
from core.errors import HeadlightError
from core.text import Tokens

READS = ("output", "input")
# Weights of all heads that are read at a time: 16 MB of float32.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Weights between words: columns are summed over a source word's tokens, rows averaged over a target word's.

    weights                 float32 (R, C); each row sums to what the rows of its tokens sum to on average
    rows, columns           words produced and source words, and special tokens such as </s>, in their order
    row_tokens              the rows of the trace that each row here is averaged over
    end_rows, end_columns   places of the special tokens
    """

    weights: npt.NDArray[np.float32]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_tokens: tuple[tuple[int, ...], ...]
    end_rows: frozenset[int]
    end_columns: frozenset[int]


def word_weights(
    trace: Trace,
    layer: int | None,
    head: int | None,
    reads: str = "output",
    stream: str = "cross",
    *,
    source_words: Sequence[str] | None = None,
    target_words: Sequence[str] | None = None,
) -> WordWeights:
    """Weights of a layer and head, or the mean over all layers or heads where they are None.

    reads: which row belongs to a word, see above; by "input", what was produced last and never read has no row. Only
    rows of a decoder have the choice: those of other streams are the words that were read.
    source_words, target_words: the words as somebody counted them; by the model's own words when None.
    Raises HeadlightError for a stream that the model does not have and for words that are not those of the texts.
    """
    if reads not in READS:
        raise HeadlightError(f"There is no reading of rows called {reads}: choose one of {', '.join(READS)}.")
    if stream not in trace.streams:
        raise HeadlightError(f"{trace.provenance.model} has no {stream}-attention, so it aligns no words.")
    offset = stream in OFFSET_STREAMS
    row_words, column_words = _words_of_sides(stream, source_words, target_words)
    produced, shift = _produced(trace, stream, reads) if offset else (trace.queries(stream), 0)
    columns = groups_of(trace.keys(stream), column_words)
    count = len(trace.queries(stream))
    rows = [group for group in groups_of(produced, row_words) if group.tokens[0] + shift < count]
    averaging = torch.zeros(len(rows), count)
    for number, group in enumerate(rows):
        kept = [(place + shift, share) for place, share in _shares(group) if place + shift < count]
        total = sum(share for _, share in kept)
        for place, share in kept:
            averaging[number, place] = share / total
    summing = torch.zeros(len(trace.keys(stream)), len(columns))
    for number, group in enumerate(columns):
        for place, share in _shares(group):
            summing[place, number] = share
    return WordWeights(
        weights=(averaging @ _mean(trace, layer, head, stream) @ summing).numpy(),  # (R, T) (T, S) (S, C) -> (R, C)
        rows=tuple(group.label for group in rows),
        columns=tuple(group.label for group in columns),
        row_tokens=tuple(tuple(place + shift for place in group.tokens if place + shift < count) for group in rows),
        end_rows=frozenset(i for i, group in enumerate(rows) if group.special),
        end_columns=frozenset(i for i, group in enumerate(columns) if group.special),
    )


def _shares(group: Group) -> list[tuple[int, float]]:
    return list(zip(group.tokens, group.shares, strict=True))


def _words_of_sides(
    stream: str, source: Sequence[str] | None, target: Sequence[str] | None
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """The given words of the rows and of the columns of a stream."""
    if stream == "cross":
        return target, source
    # A decoder's columns lack the word that came last, so no given words fit them.
    return (target, None) if stream == "decoder" else (source, source)


def _produced(trace: Trace, stream: str, reads: str) -> tuple[Tokens, int]:
    """The tokens that a decoder's rows belong to, and how much later than its place each one's row comes."""
    if trace.produced is None:
        raise ValueError(f"{stream}: the trace does not tell what came after its rows")
    return trace.produced, READS.index(reads)


def _mean(trace: Trace, layer: int | None, head: int | None, stream: str) -> Tensor:
    """float32 (T, S), over layers and heads."""
    layers = range(trace.layers(stream)) if layer is None else [layer]
    heads = None if head is None else [head]
    queries, keys = len(trace.queries(stream)), len(trace.keys(stream))
    step = max(1, _BLOCK // (trace.heads(stream) * keys))
    mean = torch.zeros(queries, keys)
    for start in range(0, queries, step):
        rows = slice(start, start + step)
        for number in layers:
            mean[rows] += trace.attention(number, heads, stream, rows).mean(dim=0) / len(layers)  # (H, T, S) -> (T, S)
    return mean
