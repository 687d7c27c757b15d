"""Value zeroing (Mohebbi and others 2023): how far a layer's states turn when one token's value is taken from it.

In layer l the value of token t is zero in all heads, while the weights stay: score(i, t) = 1 - cos of the state after
the layer with and without it. Rows are brought to a sum of one and rolled through the layers; no identity is added, as
the residual, the norms and the feed-forward part are inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from core.capture.call import AttentionCall, HeadMap
from core.capture.interface import changer
from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of, without_attention
from core.saliency.runner import Runner

MOST_TOKENS = 256


class _Zeroing:
    """Takes the value of one token from one layer, another token for each text of the batch; a `Changer` of capture."""

    def __init__(self, layer: int, places: range) -> None:
        self._layer, self._places = layer, places
        self.calls = 0

    def on_output(
        self, module: nn.Module, call: AttentionCall, value: Tensor, output: Tensor
    ) -> tuple[Tensor, Mapping[int, HeadMap]]:
        """output (B, T, H, D) without what the weights brought from the token that is zero."""
        layer = self.calls
        self.calls += 1
        if layer != self._layer:
            return output, {}
        changed = output.clone()
        for text, place in enumerate(self._places):
            weights = call.weights(None, cols=slice(place, place + 1), batch=text)[..., 0]  # (H, T)
            read = call.heads_of(value[text])[:, place]  # (H, D)
            brought = weights[:, :, None] * read[:, None].float()  # (H, T, 1) * (H, 1, D)
            changed[text] -= brought.transpose(0, 1).to(output.dtype)  # (H, T, D) -> (T, H, D)
        return changed, {}


def run(question: Question, runner: Runner) -> Raw:
    """The rows that are read, rolled down from the last layer."""
    tokens, layers = len(question.tokens), question.trace.layers("self")
    if tokens > MOST_TOKENS:
        raise HeadlightError(
            f"Value zeroing runs the model once for each token and layer: shorten the text to {MOST_TOKENS} tokens."
        )
    rows = reading_of(question).rows
    carried = torch.zeros(tokens, dtype=torch.float64)
    carried[list(rows)] = 1 / len(rows)
    for layer in reversed(range(layers)):
        carried = carried @ turned(question, runner, layer)  # (T,) @ (T, T) -> (T,)
    return Raw(carried, note=f"rolled through {layers} layers; {reading_of(question).words}.")


@torch.no_grad()
def turned(question: Question, runner: Runner, layer: int) -> Tensor:
    """(T, T), rows summing to one: how far each state turns in a layer when each token's value is gone; float64."""
    tokens, size = len(question.tokens), max(1, runner.batch)
    clean = question.states(1)[layer + 1].double()  # (1, T, D)
    columns = []
    for start in range(0, tokens, size):
        places = range(start, min(start + size, tokens))
        with _changing(_Zeroing(layer, places)) as zeroing:
            states = question.states(len(places))[layer + 1].double()  # (N, T, D)
        if zeroing.calls <= layer:
            raise HeadlightError(
                f"{question.model.name} computes attention out of the library's sight, so no value can be taken from "
                "it: choose rollout."
            )
        runner.forwards += len(places)
        runner.check()
        columns.append(1 - torch.cosine_similarity(states, clean, dim=-1))  # (N, T)
    turns = torch.cat(columns).T.cpu().clamp_min(0)  # (T keys, T queries) -> (T queries, T keys)
    return turns / turns.sum(dim=-1, keepdim=True).clamp_min(1e-12)


@contextmanager
def _changing(zeroing: _Zeroing) -> Iterator[_Zeroing]:
    token = changer.set(zeroing)
    try:
        yield zeroing
    finally:
        changer.reset(token)


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if model.card.streams != ("self",):
        return f"{model.name} is no encoder or decoder of self-attention alone: choose rollout."
    return ""


def _cost(question: Question) -> Passes:
    layers = question.model.card.layers.get("self", 0)
    return Passes(layers * (len(question.tokens) + 1))


METHOD = Method(
    name="value_zeroing",
    title="Value zeroing",
    about="How far the states that are read turn when a word's value is taken out of each layer.",
    family="attention",
    tier=3,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s^\ell_{ij} = 1 - \cos\bigl(x^{\ell+1}_i,\ x^{\ell+1}_i \mid v_j = 0\bigr)",
    cost=_cost,
    run=run,
    refuse=_refuse,
)
