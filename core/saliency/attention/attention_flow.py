"""Attention flow (Abnar and Zuidema 2020): the most that can run from what is read down to each word through the layers.

Each layer's attention, half of it going straight on, is a net of pipes between two rows of nodes; a word's score is the
maximum flow from the row that is read to the word, by itself. Where several rows are read, their mean is the first node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.attention.rollout import mixed
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import layers_mean, reading_of, without_attention
from core.saliency.runner import Runner

# One maximum flow a token, over tokens² pipes a layer: about 10 s of one core at the limits.
MOST_TOKENS, MOST_LAYERS = 64, 24
# Capacities have to be integers: a weight of 1 is so many units.
UNITS = 10**6


def run(question: Question, runner: Runner) -> Raw:
    """Flow to each token, the flows brought to a sum of one: (T,). Raises HeadlightError for too long a text."""
    tokens = len(question.tokens)
    if tokens > MOST_TOKENS:
        raise HeadlightError(
            f"Attention flow solves one maximum flow for each token, and this text has {tokens:,} of them: shorten it "
            f"to {MOST_TOKENS}, or choose attention rollout."
        )
    reading = reading_of(question)
    first, *below = [mixed(attention) for _, attention in layers_mean(question, "self")]  # the last layer first
    flows = flows_of(first[list(reading.rows)].mean(dim=0), below, runner)
    note = f"{tokens} maximum flows through {1 + len(below)} layers; {reading.words}; they are no shares of one stream."
    return Raw(flows / flows.sum().clamp_min(1e-12), note=note)


def flows_of(first: Tensor, below: Sequence[Tensor], runner: Runner | None = None) -> Tensor:
    """The maximum flow to each token by itself: (T,), a weight of 1 being 1.

    first   (T,) capacities from the node that is read to the tokens of the layer below it
    below   (T, T) capacities of the layers under that one, downwards; rows are the upper ends
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    tokens = len(first)
    levels = [first[None], *below]
    # The node that is read is 0; the tokens under level k follow from 1 + k · T on.
    count = 1 + tokens * len(levels)
    pipes: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for level, capacities in enumerate(levels):
        units = torch.round(capacities * UNITS).numpy().astype(np.int32)
        upper, lower = np.nonzero(units)
        above = 0 if level == 0 else 1 + tokens * (level - 1)
        pipes.append((above + upper, 1 + tokens * level + lower, units[upper, lower]))
    starts, ends, units = (np.concatenate(part) for part in zip(*pipes, strict=True))
    net = csr_matrix((units, (starts, ends)), shape=(count, count), dtype=np.int32)
    flows = torch.zeros(tokens, dtype=torch.float64)
    for token in range(tokens):
        if runner is not None:
            runner.advance(token, tokens)
        flows[token] = maximum_flow(net, 0, count - tokens + token).flow_value / UNITS
    return flows


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if model.card.streams != ("self",):
        return f"Attention flow runs through one stack of self-attention, which {model.name} is not: choose rollout."
    if model.card.writes:
        return f"In a decoder like {model.name} flow shows the causal mask, not the text: choose attention rollout."
    if model.card.layers["self"] > MOST_LAYERS:
        return f"{model.name} has more than the {MOST_LAYERS} layers that attention flow can solve: choose rollout."
    return ""


METHOD = Method(
    name="attention_flow",
    title="Attention flow",
    about="The most that can run from the row that is read to a word through the attention of all layers; slow.",
    family="attention",
    tier=3,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s_j \propto \operatorname{maxflow}\bigl((L, r) \to (0, j)\bigr),\ \text{capacities } \tilde A^{\ell}",
    cost=lambda question: Passes(1),
    run=run,
    refuse=_refuse,
)
