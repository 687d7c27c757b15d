"""Relevance by attention and its gradient through all layers (Chefer and others 2021, the generic rules).

Ā = mean over heads of the positive part of A · dF/dA, and R ← R + Ā R from the first layer to the last. Only the rows
that the answer is read from are wanted, so they are carried from the last layer to the first: no product of two maps is
kept. What a row has of itself from the start is left out of its scores.

An encoder-decoder's rows reach the source in each layer's cross-attention C: R_ts ← R_ts + R̂_ttᵀ C R̂_ss, where R̂ is R
with what is not the start's identity divided by its row sums.

Shapes: T tokens, of a decoder those that it says, S tokens of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor

from core.capture.gradients import GradientRecording
from core.models.model import Model
from core.saliency.gradient import gradient_x_attention
from core.saliency.gradient.walking import products, walked_back
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of
from core.saliency.runner import Runner

TWO_STACKS = {"encoder", "decoder", "cross"}

# Ā of each layer, the first first: worked out when called, so that one at a time is in memory.
Maps = Sequence[Callable[[], Tensor]]


def run(question: Question, runner: Runner) -> Raw:
    """Gradients of all layers come from one backward pass."""
    rows = reading_of(question).rows
    recording = walked_back(question, runner)
    if set(question.model.card.streams) >= TWO_STACKS:
        over_source, said, across = (maps(recording, stream) for stream in ("encoder", "decoder", "cross"))
        start = spread(rows, next(call.queries for call in recording.calls if call.stream == "decoder"))
        values = over_two_stacks(start, over_source, said, across)
    else:
        start = spread(rows, len(question.tokens))
        values = carried(start, maps(recording, "self"))
    return Raw(values, note="positive parts only: words that speak against the target have no say.")


def spread(rows: Sequence[int], length: int) -> Tensor:
    """(length,), float64: 1 in all, on the rows."""
    start = torch.zeros(length, dtype=torch.float64)
    start[list(rows)] = 1 / len(rows)
    return start


def maps(recording: GradientRecording, stream: str) -> Maps:
    """Ā (T, S) of each layer of a stream, float64 on the CPU."""

    return [
        partial(positive_mean, recording, place) for place, call in enumerate(recording.calls) if call.stream == stream
    ]


def positive_mean(recording: GradientRecording, place: int) -> Tensor:
    """Ā of a call (T, S): the positive part head by head, as the authors' code has it, and then the mean."""
    parts = [part.clamp_min(0).mean(dim=0).double().cpu() for part in products(recording, place)]
    return torch.cat(parts)  # (rows, S) each -> (T, S)


def carried(start: Tensor, layers: Maps) -> Tensor:
    """A row (T,) times R - I, R = (I + Ā^L) … (I + Ā^1), from the last layer to the first: (T,).

    Nothing is subtracted: beside the 1 of the identity small gradients would be rounding noise.
    """
    gain = torch.zeros_like(start)
    for layer in reversed(layers):
        gain = gain + (start + gain) @ layer()  # (T,) @ (T, T) -> (T,)
    return gain


def lifted(column: Tensor, layers: Maps) -> Tensor:
    """R - I times a column (T,), from the first layer to the last: (T,)."""
    gain = torch.zeros_like(column)
    for layer in layers:
        gain = gain + layer() @ (column + gain)  # (T, T) @ (T,) -> (T,)
    return gain


def gained(layers: Maps, length: int) -> Tensor:
    """Row sums of R - I: (length,); infinite where there is nothing, so that dividing by them leaves nothing."""
    sums = lifted(torch.ones(length, dtype=torch.float64), layers)
    return sums.masked_fill(sums <= 0, torch.inf)


def over_two_stacks(start: Tensor, over_source: Maps, said: Maps, across: Maps) -> Tensor:
    """The row of R_ts that start (T,) asks for: (S,)."""
    row, found = start, None
    for layer in reversed(range(len(across))):
        below = said[: layer + 1]
        turned = row + lifted(row, below) / gained(below, len(row))  # row R̂_ttᵀ = R̂_tt row: (T,)
        part = turned @ across[layer]()  # (T,) @ (T, S) -> (S,)
        found = part if found is None else found + part
        row = row + row @ said[layer]()
    assert found is not None
    return found + carried(found / gained(over_source, len(found)), over_source)


def refuse(model: Model) -> str:
    """Why the rules do not apply; "" where they do."""
    if sentence := gradient_x_attention.refuse(model):
        return sentence
    if model.card.streams not in (("self",), ("encoder", "decoder", "cross")):
        return f"{model.name} is no Transformer: choose gradient × attention."
    return ""


METHOD = Method(
    name="chefer",
    title="Chefer's relevance",
    about="Attention times its gradient, positive parts only, carried through all layers.",
    family="gradient",
    tier=2,
    signed=False,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"\bar A^\ell = \tfrac1H \textstyle\sum_h "
    r"\bigl(A^{\ell,h} \odot \tfrac{\partial F}{\partial A^{\ell,h}}\bigr)^+,\quad R \leftarrow R + \bar A^\ell R",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=refuse,
    uses=frozenset({"scalar"}),
)
