"""Traces of random queries and keys, as long as wanted, and reading back what figures export."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import torch

from core.capture import AttentionCall, Check, Output, Provenance, Trace
from core.text import Tokens


def plain_tokens(length: int) -> Tokens:
    """One token a letter."""
    column = tuple(range(length))
    return Tokens(
        text="x" * length,
        text_pair=None,
        ids=column,
        pieces=("x",) * length,
        labels=("x",) * length,
        spans=tuple((i, i + 1) for i in column),
        sequences=(0,) * length,
        words=column,
        type_ids=(0,) * length,
        special=(False,) * length,
        unknown=(False,) * length,
    )


def with_special_ends(tokens: Tokens) -> Tokens:
    """The first and the last token are special ones instead."""
    ends = {0, len(tokens) - 1}

    def at_ends(column: tuple, value: object) -> tuple:  # type: ignore[type-arg]
        return tuple(value if i in ends else item for i, item in enumerate(column))

    return replace(
        tokens,
        labels=at_ends(tokens.labels, "<s>"),
        spans=at_ends(tokens.spans, None),
        sequences=at_ends(tokens.sequences, None),
        words=at_ends(tokens.words, None),
        special=at_ends(tokens.special, True),
    )


def trace_of(tokens: Tokens, *, causal: bool, layers: int = 2, heads: int = 3, **special: object) -> Trace:
    """A trace of random queries and keys over tokens. special: further fields of its calls."""
    generator = torch.Generator().manual_seed(len(tokens))
    calls = [
        AttentionCall(
            path="",
            stream="self",
            layer=layer,
            query=torch.randn(1, heads, len(tokens), 8, generator=generator),
            key=torch.randn(1, heads, len(tokens), 8, generator=generator),
            mask=None,
            causal=causal,
            scale=8**-0.5,
            bias=None,
            **special,  # type: ignore[arg-type]
        )
        for layer in range(layers)
    ]
    provenance = Provenance("tiny", "0", "float32", "CPU", "sdpa", "causal", (Check(0.0, 1e-5, layers),))
    return Trace(tokens, calls, provenance, Output("hidden states", torch.zeros(len(tokens), 4)))


def random_trace(length: int, *, causal: bool, layers: int = 2, heads: int = 3, **special: object) -> Trace:
    """A trace of that many tokens, none of them special."""
    return trace_of(plain_tokens(length), causal=causal, layers=layers, heads=heads, **special)


def renamed(trace: Trace, model: str) -> Trace:
    """The same trace of a model of another name."""
    return Trace(trace.tokens, trace._stream("self"), replace(trace.provenance, model=model), trace.output)


def table(csv: bytes) -> pd.DataFrame:
    """A CSV as pandas reads it when told that "null" is a word."""
    return pd.read_csv(io.BytesIO(csv), keep_default_na=False)


def archive(npz: bytes) -> dict[str, np.ndarray]:
    """The arrays of an npz file."""
    with np.load(io.BytesIO(npz)) as arrays:
        return dict(arrays)
