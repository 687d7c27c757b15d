"""Attention weights token by token of what was written, over the words of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.capture import Trace


def source_words(trace: Trace) -> tuple[str, ...]:
    """The words of the source as the user typed them, and its special tokens: the columns of `token_rows`."""
    units = trace.tokens.merged()
    return tuple(
        label if span is None else units.text[slice(*span)].strip() or label
        for label, span in zip(units.labels, units.spans, strict=True)
    )


def token_rows(trace: Trace, layer: int | None, head: int | None, reads: str) -> np.ndarray:
    """(tokens, words): the weights with which each token was produced, or read back in, summed over a word's tokens.

    layer, head: None for the mean over all. reads: "output", or "input", which has no row for the last token.
    """
    layers = range(trace.layers("cross")) if layer is None else (layer,)
    heads = None if head is None else (head,)
    each = [trace.attention(number, heads, "cross").numpy().mean(axis=0) for number in layers]  # (H, T, S) -> (T, S)
    weights = np.mean(each, axis=0)  # (L, T, S) -> (T, S)
    rows = weights[1:] if reads == "input" else weights[: len(trace.said_ids)]
    words = trace.keys("cross").merged().members
    columns = [rows[:, list(places)].sum(axis=1) for places in words]  # (T, S) -> (T,) each
    return np.stack(columns, axis=1).astype(np.float32)  # (T, C)
