"""Attention flow (Abnar and Zuidema 2020): the most that can flow from what is read to each token through all layers.

The tokens of all layers are a graph whose edges carry (A + I) / 2, mean over heads; the score of a token is the maximum
flow between its embedding and the row that is read. SciPy's algorithm takes whole numbers: capacities are millionths.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import layers_mean, reading_of, without_attention
from core.saliency.runner import Runner

MOST_TOKENS = 64
MOST_NODES = 1024
WHOLE = 10**6


def run(question: Question, runner: Runner) -> Raw:
    """One row: that of the token which the answer is read from; where it is read from all, the mean needs them all."""
    tokens, layers = len(question.tokens), question.trace.layers("self")
    if tokens > MOST_TOKENS or tokens * (layers + 1) > MOST_NODES:
        fitting = min(MOST_TOKENS, MOST_NODES // (layers + 1))
        raise HeadlightError(f"Attention flow is worked out for {fitting} tokens at most: shorten the text.")
    maps = [attention.numpy() for _, attention in layers_mean(question, "self")]
    reading = reading_of(question)
    graph = layered(maps[::-1])
    flows = np.zeros(tokens)
    for done, row in enumerate(reading.rows):
        runner.advance(done, len(reading.rows))
        flows += flow_of(graph, tokens, layers, row)
    return Raw(torch.from_numpy(flows / max(flows.sum(), 1e-12)), note=f"through {layers} layers; {reading.words}.")


def layered(maps: list[np.ndarray]) -> csr_array:
    """Capacities of the graph with (layers + 1) · T nodes; maps (T, T) of the layers, the first first."""
    tokens = len(maps[0])
    rows, columns, capacities = [], [], []
    for layer, attention in enumerate(maps):
        mixed = (attention + np.eye(tokens)) / 2
        mixed = np.round(WHOLE * mixed / mixed.sum(axis=-1, keepdims=True)).astype(np.int32)
        queries, keys = np.nonzero(mixed)
        rows.append((layer + 1) * tokens + queries)
        columns.append(layer * tokens + keys)
        capacities.append(mixed[queries, keys])
    nodes = (len(maps) + 1) * tokens
    entries = np.concatenate(capacities), (np.concatenate(rows), np.concatenate(columns))
    return csr_array(entries, shape=(nodes, nodes), dtype=np.int32)


def flow_of(graph: csr_array, tokens: int, layers: int, row: int) -> np.ndarray:
    """Maximum flow from a row of the last layer to each token's embedding: (T,), in shares of a row's whole."""
    source = layers * tokens + row
    return np.array([maximum_flow(graph, source, token).flow_value for token in range(tokens)]) / WHOLE


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if model.card.streams != ("self",):
        return f"{model.name} is no encoder of self-attention alone: choose another method."
    if model.card.writes:
        return f"In a decoder like {model.name} flow shows the mask more than the text: choose attention rollout."
    return ""


METHOD = Method(
    name="attention_flow",
    title="Attention flow",
    about="The most attention that can flow from what is read down to each word.",
    family="attention",
    tier=3,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s_j = \operatorname{maxflow}\bigl((L, r) \to (0, j)\bigr)",
    # As long as about so many passes of a small model.
    cost=lambda question: Passes(len(question.tokens)),
    run=run,
    refuse=_refuse,
)
