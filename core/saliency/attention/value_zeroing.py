"""Value zeroing (Mohebbi and others 2023): how far a layer's states turn when one token's value is taken from it.

In layer l the value of token t is zero in all heads, while the weights stay: score(i, t) = 1 - cos of the state after
the layer with and without it. Rows are brought to a sum of one and rolled through the layers; no identity is added, as
the residual, the norms and the feed-forward part are inside. Each layer is run by itself on what entered it.
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
from core.models.out_of_memory import memory_worded
from core.saliency.attention.layer_runs import LayerRuns
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of, without_attention
from core.saliency.runner import Runner

# One run of every layer for each token; more than this takes minutes.
MOST_TOKENS = 512


class _Zeroing:
    """Takes a token's value from a layer, another token in each of the copies; a `Changer` of capture.

    touched: bool (N, T), to which queries each of the taken values had brought anything.
    """

    def __init__(self, places: range) -> None:
        self._places = list(places)
        self.calls = 0
        self.touched = torch.empty(0)

    def on_output(
        self, module: nn.Module, call: AttentionCall, value: Tensor, output: Tensor
    ) -> tuple[Tensor, Mapping[int, HeadMap]]:
        """output (N, T, H, D) without what the weights, the same in all copies, brought from the taken value."""
        self.calls += 1
        weights = call.weights()[..., self._places]  # (H, T, S) -> (H, T, N)
        taken = call.heads_of(value[0])[:, self._places].float()  # (H, S, D) -> (H, N, D)
        brought = torch.einsum("htn,hnd->nthd", weights, taken)  # (H, T, N), (H, N, D) -> (N, T, H, D)
        brought = brought.to(output.dtype)
        self.touched = brought.flatten(2).any(dim=-1)  # (N, T, H, D) -> (N, T)
        return output - brought, {}


def run(question: Question, runner: Runner) -> Raw:
    """The rows that are read, rolled down from the last layer: (T,). Raises HeadlightError for too long a text."""
    reading, tokens, model = reading_of(question), len(question.tokens), question.model
    if tokens > MOST_TOKENS:
        raise HeadlightError(
            f"Value zeroing runs every layer once for each token, and this text has {tokens:,}: shorten it to "
            f"{MOST_TOKENS} tokens."
        )
    carried = torch.zeros(tokens, dtype=torch.float64)
    carried[list(reading.rows)] = 1 / len(reading.rows)
    with memory_worded(model.name, model.device):
        layers = LayerRuns(question)
        runner.forwards += 2  # the run that is traced, and this one
        for done in range(len(layers)):
            runner.advance(done, len(layers))
            carried = carried @ turned(layers, len(layers) - 1 - done, runner)  # (T,) @ (T, T) -> (T,)
    # One layer for each token, in all layers: a pass for each token.
    runner.forwards += tokens
    return Raw(carried, note=f"Rolled through {len(layers)} layers; {reading.words}.")


def turned(layers: LayerRuns, layer: int, runner: Runner) -> Tensor:
    """How far each state turns in a layer when each token's value is gone: (T, T) in float64, rows sum to one.

    A state that nothing turns is its own. Raises HeadlightError where attention does not call the library's interface.
    """
    clean = layers.run(layer, 1).double()  # (1, T, D)
    tokens = clean.shape[1]
    columns = []
    for start in range(0, tokens, runner.batch):
        runner.check()
        places = range(start, min(start + runner.batch, tokens))
        with _changing(_Zeroing(places)) as zeroing:
            states = layers.run(layer, len(places)).double()  # (N, T, D)
        if zeroing.calls != 1:
            raise HeadlightError(
                f"{runner.question.model.name} computes attention out of the library's sight, so no value can be taken "
                "from it: choose attention rollout."
            )
        # Several copies at once are not rounded as one is: a state from which nothing was taken has not turned.
        columns.append((1 - torch.cosine_similarity(states, clean, dim=-1)) * zeroing.touched)  # (N, T)
    turns = torch.cat(columns).T.cpu().clamp_min(0)  # (T keys, T queries) -> (T queries, T keys)
    total = turns.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, turns / total.where(total > 0, 1.0), torch.eye(tokens, dtype=turns.dtype))


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
        return f"{model.name} is no encoder or decoder of self-attention alone: choose another method."
    return ""


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
    cost=lambda question: Passes(2 + len(question.tokens)),
    run=run,
    refuse=_refuse,
)
