"""A question to the same model under attention weights that are not its own, without changing the shared network."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.agreement.columns import Array
from core.capture import HeadChange, changed
from core.errors import HeadlightError
from core.saliency.method import merge
from core.saliency.question import Question
from core.saliency.reading import reading_of
from core.zoo.pooling import PoolingForSequenceClassification

# Cells of all heads' maps, which stand in memory together: a quarter of a gigabyte.
MOST_CELLS = 1 << 26


@dataclass(frozen=True, eq=False)
class Weights:
    """What the model is made to attend to.

    words    attention weight of each group under it, as the method “attention” reads it
    pooling  (S,) of a classifier that sums states by one attention; None for other models
    changes  of the heads of other models
    """

    words: Array
    pooling: Tensor | None = None
    changes: tuple[HeadChange, ...] = ()


@dataclass(frozen=True, eq=False)
class OtherQuestion(Question):
    """The question, whose F is computed under other weights; gradients pass through everything but the weights."""

    weights: Weights = Weights(np.zeros(0))

    def score(self, embeddings: Tensor, mask: Tensor | None = None) -> Tensor:
        """See `Question.score`."""
        network: Any = self.model.network
        if self.weights.pooling is None:
            with changed(network, self.weights.changes):
                return super().score(embeddings, mask)
        there = torch.ones(embeddings.shape[:2], dtype=torch.bool, device=embeddings.device)
        states = network.encoder(embeddings, there)  # (N, T, E) -> (N, T, D)
        pooled = self.weights.pooling.to(states) @ states  # (T,) @ (N, T, D) -> (N, D)
        return self.reader.scalar(SimpleNamespace(logits=network.classifier(pooled)), there)


def under(question: Question, weights: Weights) -> OtherQuestion:
    """The same question under other weights."""
    own = {field.name: getattr(question, field.name) for field in fields(Question)}
    return OtherQuestion(**own, weights=weights)


def permuted(question: Question, order: Tensor) -> Weights:
    """The model's own weights, those of the scored tokens exchanged by `order` in all heads and layers alike.

    A query exchanges only what it can see. Raises HeadlightError for models and texts where that cannot be done.
    """
    places = torch.tensor(question.scored)
    if isinstance(question.model.network, PoolingForSequenceClassification):
        own = question.trace.attention(0, None, "pooling")[0, 0].double()  # (1, 1, S) -> (S,)
        moved = own.clone()
        moved[places] = own[places[order]]
        return Weights(_words(question, moved), pooling=moved)
    _require(question)
    trace, reading = question.trace, reading_of(question)
    changes, read = [], None
    for layer in range(trace.layers("self")):
        maps = _exchanged(trace.attention(layer), ~trace.masked(layer), places, order)  # (H, T, T)
        if layer == reading.layer:
            read = maps[:, list(reading.rows)].double().mean(dim=(0, 1))  # (H, rows, S) -> (S,)
        changes += [HeadChange("self", layer, head, maps[head]) for head in range(len(maps))]
    assert read is not None
    return Weights(_words(question, read), changes=tuple(changes))


def uniform(question: Question) -> Weights:
    """Every query spreads evenly over what it sees."""
    count = len(question.tokens)
    if isinstance(question.model.network, PoolingForSequenceClassification):
        flat = torch.full((count,), 1 / count, dtype=torch.float64)
        return Weights(_words(question, flat), pooling=flat)
    _require(question)
    trace = question.trace
    changes = tuple(
        HeadChange("self", layer, head, "uniform")
        for layer in range(trace.layers("self"))
        for head in range(trace.attention(layer, rows=slice(0, 1)).shape[0])
    )
    return Weights(np.zeros(len(question.groups)), changes=changes)


def _exchanged(weights: Tensor, visible: Tensor, places: Tensor, order: Tensor) -> Tensor:
    """weights (H, T, S), visible (T, S): in each row the weights of the visible places in another order."""
    moved = weights.clone()
    if bool(visible[:, places].all()):
        moved[:, :, places] = weights[:, :, places[order]]
        return moved
    for row in range(weights.shape[1]):
        seen = visible[row, places]
        # The order of all places, kept among those that the row sees.
        from_here = places[order][seen[order]]
        moved[:, row, places[seen]] = weights[:, row, from_here]
    return moved


def _words(question: Question, row: Tensor) -> Array:
    return np.asarray(merge(row, question.groups, "sum").numpy())


def _require(question: Question) -> None:
    name, trace = question.model.name, question.trace
    if trace.streams != ("self",):
        raise HeadlightError(
            f"The control permutes self-attention or pooling, and {name} has neither alone: leave it out."
        )
    cells = trace.layers("self") * trace.heads("self") * len(question.tokens) ** 2
    if cells > MOST_CELLS:
        fitting = int((MOST_CELLS / (trace.layers("self") * trace.heads("self"))) ** 0.5)
        raise HeadlightError(f"The control keeps the maps of all heads: shorten the text to {fitting:,} tokens.")
