"""Traces made by hand: words and special tokens where a test wants them, and weights that are what it says."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.capture import AttentionCall, Call, Output, Provenance, Trace
from core.capture.stored import StoredCall
from core.text import Tokens

PROVENANCE = Provenance("m", "r", "float32", "CPU", "sdpa", "restricted", ())


def tokens_of(words: Sequence[int | None], sequences: Sequence[int] | None = None) -> Tokens:
    """One token a word number; None is a special token. Token 3 is the character “d”."""
    letters = [chr(ord("a") + i % 26) for i in range(len(words))]
    own = [word is not None for word in words]
    return Tokens(
        text="".join(letters),
        text_pair=None,
        ids=tuple(range(len(words))),
        pieces=tuple(letters),
        labels=tuple(letter if o else "[S]" for letter, o in zip(letters, own, strict=True)),
        spans=tuple((i, i + 1) if o else None for i, o in enumerate(own)),
        sequences=tuple(s if o else None for s, o in zip(sequences or [0] * len(words), own, strict=True)),
        words=tuple(words),
        type_ids=(0,) * len(words),
        special=tuple(not o for o in own),
        unknown=(False,) * len(words),
    )


def stored_trace(weights: Tensor, masked: Tensor, queries: Tokens, keys: Tokens | None = None) -> Trace:
    """One layer with these weights, (heads, queries, keys); between two texts where keys are given."""
    stream = "self" if keys is None else "cross"
    call = StoredCall("p", stream, 0, weights[None], masked[None, None])
    return trace_of([call], queries, keys)


def trace_of(calls: Sequence[Call], queries: Tokens, keys: Tokens | None = None) -> Trace:
    sides = None if keys is None else {"cross": (queries, keys)}
    return Trace(queries, calls, PROVENANCE, Output("hidden states", torch.zeros(1)), sides)


def random_weights(heads: int, masked: Tensor, seed: int = 0) -> Tensor:
    """Rows that sum to one where anything can be attended to: (heads, queries, keys)."""
    scores = torch.randn(heads, *masked.shape, generator=torch.Generator().manual_seed(seed)) * 2
    return torch.softmax(scores.masked_fill(masked, -1e30), -1).masked_fill(masked, 0)


def random_trace(n: int, layers: int = 1, heads: int = 2, causal: bool = True, width: int = 4) -> Trace:
    """Layers of random queries and keys over n tokens, two a word, between special ones."""
    generator = torch.Generator().manual_seed(n)
    calls = []
    for layer in range(layers):
        query, key = (torch.randn(1, heads, n, width, generator=generator) for _ in range(2))
        calls.append(AttentionCall("p", "self", layer, query, key, None, causal=causal, scale=1.0, bias=None))
    inner = [i // 2 for i in range(max(n - 2, 0))]
    return trace_of(calls, tokens_of([None, *inner, None][:n]))


def nothing_masked(queries: int, keys: int | None = None) -> Tensor:
    return torch.zeros(queries, keys or queries, dtype=torch.bool)


def future(n: int) -> Tensor:
    return torch.ones(n, n).triu(1).bool()
