"""Attention rollout (Abnar and Zuidema 2020): attention multiplied through the layers, with the residual at one half.

In a decoder the result is mostly the shape of its mask: with attention that says nothing at all, 12 layers over 20
tokens put .77 on the first. So there it is shown minus the rollout of uniform causal attention.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import layers_mean, reading_of, without_attention
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """Only the rows that are read are carried down, so that no product of two maps is kept."""
    reading, trace = reading_of(question), question.trace
    if reading.stream == "pooling":
        weights = trace.attention(0, None, "pooling").double().mean(dim=0)[0]  # (H, 1, S) -> (S,)
        return Raw(weights, note="One layer pools the text, so this is its attention.")
    if reading.stream == "cross":
        return Raw(*_through_encoder(question))
    maps = (attention for _, attention in layers_mean(question, "self"))
    start = _mean_of_rows(reading.rows, len(question.tokens))
    rolled = roll(start, maps)
    if trace.mask_name("self") == "bidirectional":
        return Raw(rolled, note=f"through {trace.layers('self')} layers; {reading.words}.")
    reference = roll(start, uniform_causal(len(question.tokens), trace.layers("self")))
    note = (
        f"through {trace.layers('self')} layers, minus the rollout of uniform causal attention, of which "
        f"{float(reference[0]):.2f} falls on the first token."
    )
    return Raw(rolled - reference, note=note)


def roll(start: Tensor, maps: Iterable[Tensor]) -> Tensor:
    """start (T,) carried through maps (T, T), last layer first: r ← r (A + I) / 2, rows brought to sum to one."""
    carried = start
    for attention in maps:
        mixed = attention + torch.eye(len(attention), dtype=attention.dtype)
        carried = carried @ (mixed / mixed.sum(dim=-1, keepdim=True))  # (T,) @ (T, T) -> (T,)
    return carried


def uniform_causal(tokens: int, layers: int) -> list[Tensor]:
    """Maps (T, T) of attention that says nothing: each query spreads evenly over what it sees."""
    triangle = torch.ones(tokens, tokens, dtype=torch.float64).tril()
    return [triangle / triangle.sum(dim=-1, keepdim=True)] * layers


def _mean_of_rows(rows: tuple[int, ...], tokens: int) -> Tensor:
    start = torch.zeros(tokens, dtype=torch.float64)
    start[list(rows)] = 1 / len(rows)
    return start


def _through_encoder(question: Question) -> tuple[Tensor, None, None, None, tuple[str, ...], str]:
    """The word's cross-attention, mean over layers and heads, carried through the encoder's self-attention."""
    trace, rows = question.trace, list(question.word_rows)
    crossed = [attention[rows].mean(dim=0) for _, attention in layers_mean(question, "cross")]  # (T, S) -> (S,)
    start = torch.stack(crossed).mean(dim=0)
    layers = trace.layers("encoder") if "encoder" in trace.streams else 0
    maps = (attention for _, attention in layers_mean(question, "encoder")) if layers else ()
    note = (
        f"cross-attention, mean over layers and heads, through {layers} encoder layers; the decoder's own is left out."
    )
    return roll(start, maps), None, None, None, (), note


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
    refuse=without_attention,
)
