"""Attention rollout (Abnar and Zuidema 2020): attention multiplied through the layers, with the residual at one half.

In a decoder the result is mostly the shape of its mask: with attention that says nothing at all, 12 layers over 20
tokens put .77 on the first. So there it is shown minus the rollout of uniform attention under the same mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from core.capture import Trace
from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import layers_mean, reading_of, without_attention
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """Only the rows that are read are carried down, so that no product of two maps is kept."""
    reading, trace = reading_of(question), question.trace
    if reading.stream == "cross":
        return _through_encoder(question)
    layers = trace.layers("self")
    start = _mean_of_rows(reading.rows, len(question.tokens))
    rolled = roll(start, (attention for _, attention in layers_mean(question, "self")))
    if not _looks_back_only(trace):
        return Raw(rolled, note=f"Through {layers} layers; {reading.words}.")
    reference = roll(start, uniform_under_mask(trace))
    note = (
        f"Through {layers} layers, minus the rollout of uniform causal attention, of which {float(reference[0]):.2f} "
        "falls on the first token: below zero a word has less than that."
    )
    return Raw(rolled - reference, note=note)


def roll(start: Tensor, maps: Iterable[Tensor]) -> Tensor:
    """start (T,) or rows (R, T) carried through maps (T, T), the last layer first."""
    carried = start
    for attention in maps:
        carried = carried @ mixed(attention)  # (T,) @ (T, T) -> (T,)
    return carried


def mixed(attention: Tensor) -> Tensor:
    """A + I with rows brought to a sum of one: (T, T). A row without weights, such as of padding, stays itself."""
    both = attention + torch.eye(len(attention), dtype=attention.dtype)
    return both / both.sum(dim=-1, keepdim=True)


def uniform_causal(tokens: int, layers: int) -> list[Tensor]:
    """Maps (T, T) of attention that says nothing: each query spreads evenly over what it sees."""
    triangle = torch.ones(tokens, tokens, dtype=torch.float64).tril()
    return [triangle / triangle.sum(dim=-1, keepdim=True)] * layers


def uniform_under_mask(trace: Trace) -> Iterator[Tensor]:
    """The same under the mask of each layer, which may have a window: (T, T), the last layer first."""
    for layer in reversed(range(trace.layers("self"))):
        visible = (~trace.masked(layer, "self")).double()
        yield visible / visible.sum(dim=-1, keepdim=True).clamp_min(1)


def _looks_back_only(trace: Trace) -> bool:
    """Whether no query of any layer sees a later key, and there is one to see."""
    if len(trace.tokens) == 1:
        return False
    return all(bool(trace.masked(layer, "self", slice(0, 1))[:, 1:].all()) for layer in range(trace.layers("self")))


def _mean_of_rows(rows: tuple[int, ...], tokens: int) -> Tensor:
    start = torch.zeros(tokens, dtype=torch.float64)
    start[list(rows)] = 1 / len(rows)
    return start


def _through_encoder(question: Question) -> Raw:
    """The word's cross-attention, mean over layers and heads, carried through the encoder's self-attention."""
    trace, rows = question.trace, list(question.word_rows)
    crossed = [attention[rows].mean(dim=0) for _, attention in layers_mean(question, "cross")]  # (T, S) -> (S,)
    start = torch.stack(crossed).mean(dim=0)
    rolled = roll(start, (attention for _, attention in layers_mean(question, "encoder")))
    note = (
        f"Cross-attention, mean over {len(crossed)} layers and their heads, through {trace.layers('encoder')} encoder "
        "layers; the decoder's own attention is left out."
    )
    return Raw(rolled, note=note)


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if not {"self", "encoder"} & set(model.card.streams):
        return f"{model.name} has one layer of attention, so there is nothing to roll out: choose attention weight."
    return ""


METHOD = Method(
    name="rollout",
    title="Attention rollout",
    about="Attention weight multiplied through all layers, half of each layer going straight on.",
    family="attention",
    tier=1,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"R^\ell = \tfrac12 \bigl(I + \tfrac1H \textstyle\sum_h A^{\ell,h}\bigr) R^{\ell-1}",
    cost=lambda question: Passes(1),
    run=run,
    refuse=_refuse,
)
