"""Traces of an encoder-decoder with made-up weights, over pieces of a small vocabulary."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from core.capture import Output, Provenance, Trace
from core.capture.stored import StoredCall
from core.text import TextEncoder, Tokens, encoder_of
from core.training.vocabulary import END_ID, START_ID, piece_tokenizer

SENTENCES = (
    "The man doesn't know where the old station is.", "L'homme n'est pas là, peut-être au café.",
    "Où est la gare ? As-tu vu l'oncle d'Amérique ?", "猫追老鼠。那只黑猫正在追一只小老鼠。",
)  # fmt: skip


@cache
def pieces() -> TextEncoder:
    """Lower-cased byte-pair pieces, </s> behind each text."""
    return encoder_of(piece_tokenizer(SENTENCES * 4, 110), 200)


def read_and_produced(target: str, ended: bool = True) -> tuple[Tokens, Tokens]:
    """What a decoder reads and what it produces when it says a text; without its end, the last token is read too."""
    said = list(pieces().encode(target).ids)
    said = said if ended else said[:-1]
    assert (said[-1] == END_ID) is ended
    read = [START_ID, *(said[:-1] if ended else said)]
    return pieces().tokens_of_ids(read), pieces().tokens_of_ids(said)


def trace_of(layers: list[Tensor], source: Tokens, read: Tokens, produced: Tokens) -> Trace:
    """layers: cross-attention weights (H, T, S) of each."""
    calls = [StoredCall("p", "cross", i, stored=weights[None], blocked=None) for i, weights in enumerate(layers)]
    provenance = Provenance("m", "r", "float32", "CPU", "", "", ())
    output = Output("hidden states", torch.zeros(1))
    return Trace(source, calls, provenance, output, {"cross": (read, source)}, produced=produced)


def random_trace(source: str, target: str, seed: int = 0, ended: bool = True) -> Trace:
    """Two layers of three heads, each row the softmax of random scores."""
    tokens, (read, produced) = pieces().encode(source), read_and_produced(target, ended)
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(2, 3, len(read), len(tokens), generator=generator) * 3
    return trace_of(list(scores.softmax(-1)), tokens, read, produced)


def one_hot_trace(source: str, target: str, columns: list[int]) -> Trace:
    """One head, whose row t looks at columns[t] alone."""
    tokens, (read, produced) = pieces().encode(source), read_and_produced(target)
    weights = torch.eye(len(tokens))[columns]  # (T, S)
    return trace_of([weights[None]], tokens, read, produced)
