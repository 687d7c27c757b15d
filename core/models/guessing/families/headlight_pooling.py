"""Headlight's own classifier, which sums the states of a text by attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.heading import because, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS, QUERY, TOTAL, HEAD = "embedding.weight", "query", "attention.score.total.weight", "classifier.weight"
LSTM, FILTER, LINEAR = "encoder.layers.stack.#.weight_hh_l0", "encoder.filters.#.weight", "encoder.linear.weight"


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The one network that has these names."""
    ids, embedded = tensors.shape(WORDS, 2)
    width = tensors.shape(HEAD, 2)[1]
    tensors.shape(QUERY, 1)
    encoder, asked = _encoder(tensors)
    attention: dict[str, Any] = {"attention": "additive"} if tensors.has(TOTAL) else {}
    if not attention:
        why = "These scores have no weights; the first is the usual one."
        asked = (*asked, Question("attention", "dot", ("dot", "uniform"), why))
    sizes: dict[str, Any] = {
        "vocab_size": ids, "hidden_size": width, "embedding_size": embedded,
    }  # fmt: skip
    reason = because(tensors, WORDS, QUERY, LSTM, FILTER, LINEAR, head=HEAD)
    labels = labels_of(tensors, HEAD)
    yield Draft(
        "headlight_pooling", "PoolingForSequenceClassification", sizes | attention | encoder | labels, reason, asked
    )


def _encoder(tensors: Tensors) -> tuple[dict[str, Any], tuple[Question, ...]]:
    if tensors.has(LSTM):
        return {"encoder": "bilstm"}, ()
    if tensors.has(FILTER):
        shapes = tensors.layers[FILTER]
        widths = [tensors.shape(FILTER.replace("#", str(number)), 3)[2] for number in sorted(shapes)]
        return {"encoder": "cnn", "kernel_sizes": widths}, ()
    if tensors.has(LINEAR):
        why = "Both have one linear map; they differ in what bends its output, which has no weights."
        return {}, (Question("encoder", "average", ("average", "mlp"), why),)
    raise UnlikeError(LINEAR)
