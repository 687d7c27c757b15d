"""The attention that each word gets from all others, and the most that it gets from any."""

from __future__ import annotations

import torch

from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import ROWS_AT_ONCE, reading_of, without_attention
from core.saliency.runner import Runner


def received(question: Question, runner: Runner) -> Raw:
    """The mean of a column over the queries that can see it, mean over heads, in the last layer."""
    stream, layer = _where(question)
    trace = question.trace
    total = torch.zeros(len(trace.keys(stream)), dtype=torch.float64)
    seen = torch.zeros_like(total)
    for part in _blocks(len(trace.queries(stream))):
        total += trace.attention(layer, None, stream, rows=part).double().mean(dim=0).sum(dim=0)  # (H, r, S) -> (S,)
        seen += (~trace.masked(layer, stream, rows=part)).double().sum(dim=0)  # (r, S) -> (S,)
    return Raw(
        total / seen.clamp_min(1), note=f"layer {layer}, mean over heads and over the queries that see the word."
    )


def largest(question: Question, runner: Runner) -> Raw:
    """The largest weight of a column, over queries and heads, in the last layer: no distribution."""
    stream, layer = _where(question)
    trace = question.trace
    most = torch.zeros(len(trace.keys(stream)), dtype=torch.float64)
    for part in _blocks(len(trace.queries(stream))):
        most = torch.maximum(most, trace.attention(layer, None, stream, rows=part).double().amax(dim=(0, 1)))
    return Raw(most, note=f"layer {layer}, the largest over heads and queries; these do not sum to one.")


def _where(question: Question) -> tuple[str, int]:
    reading = reading_of(question)
    return reading.stream, reading.layer


def _blocks(queries: int) -> list[slice]:
    return [slice(start, min(start + ROWS_AT_ONCE, queries)) for start in range(0, queries, ROWS_AT_ONCE)]


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if "pooling" in model.card.streams:
        return f"{model.name} has one row of attention, so all that words get is in it: choose attention weight."
    return ""


RECEIVED = Method(
    name="attention_received",
    title="Attention received",
    about="How much attention weight a word gets on average, from all words that can see it.",
    family="attention",
    tier=1,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s_j = \tfrac{1}{|\{i : i \text{ sees } j\}|} \sum_i \tfrac1H \sum_h A^{h}_{i j}",
    cost=lambda question: Passes(1),
    run=received,
    refuse=_refuse,
)

LARGEST = Method(
    name="attention_max",
    title="Largest attention",
    about="The largest attention weight that any head gives a word anywhere.",
    family="attention",
    tier=1,
    signed=False,
    class_specific=False,
    additive=False,
    merge="largest",
    formula=r"s_j = \max_{h, i} A^{h}_{i j}",
    cost=lambda question: Passes(1),
    run=largest,
    refuse=_refuse,
)
