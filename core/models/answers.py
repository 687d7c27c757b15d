"""What a network's answer means: labels, next tokens, or only hidden states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

from core.capture import NUMBER, SIGMOID, SOFTMAX, NextTokens, Output, likeliest_next, shares_of
from core.models.reading import Reading
from core.models.token_labels import token_labels

LIKELIEST = 10


def output_of(
    network: PreTrainedModel, answer: Any, label_of: Callable[[int], str], written: str | None = None
) -> Output:
    """The answer to one text. label_of: how a token id is shown; written: what the network wrote itself."""
    first = answer[0][0]  # the logits or the last hidden states of the one text
    if type(network).__name__.endswith("ForSequenceClassification"):
        named: dict[Any, str] = network.config.id2label or {}
        names = tuple(str(named.get(i, i)) for i in range(len(first)))
        function = function_of(network.config)
        likeliest = _likeliest(first.float(), function, names.__getitem__)
        return Output("labels", _fetched(first), names, likeliest, function=function)
    if network.can_generate():
        last = answer.logits[0, -1].float()  # (1, T, vocabulary) -> (vocabulary,)
        return Output("next tokens", _fetched(last), (), _likeliest(last, SOFTMAX, label_of), written)
    if type(network).__name__.endswith("ForTokenClassification"):
        return token_labels(network, first, function_of(network.config))
    return Output("hidden states" if "last_hidden_state" in answer else "token logits", _fetched(first))


def predicted_by(answer: Any, label_of: Callable[[int], str]) -> tuple[str, ...]:
    """The most probable next token after each row, as it is shown."""
    best = answer.logits[0].argmax(dim=-1).tolist()  # (1, T, vocabulary) -> (T,)
    labels = {token: label_of(token) for token in set(best)}
    return tuple(labels[token] for token in best)


def following_of(
    network: PreTrainedModel, answer: Any, reading: Reading, label_of: Callable[[int], str]
) -> NextTokens | None:
    """What an encoder-decoder may say after each token that its decoder read; None where not all logits were kept."""
    logits = getattr(answer, "logits", None)
    if reading.decoder is None or reading.produced is None or logits is None or not network.can_generate():
        return None
    if logits.shape[1] != len(reading.decoder):
        return None
    return likeliest_next(logits[0], reading.produced.ids, label_of)


def function_of(config: PreTrainedConfig) -> str:
    """What makes probabilities of a classifier's logits, as the library's pipeline for texts decides it."""
    problem = getattr(config, "problem_type", None)
    if problem == "regression":
        return NUMBER
    return SIGMOID if problem == "multi_label_classification" or config.num_labels == 1 else SOFTMAX


def _likeliest(logits: Tensor, function: str, name_of: Callable[[int], str]) -> tuple[tuple[str, float], ...]:
    """The most probable first; numbers that are no probabilities have no order but the network's."""
    if function == NUMBER:
        return tuple((name_of(place), float(value)) for place, value in enumerate(logits[:LIKELIEST].cpu()))
    shares = shares_of(logits, function)
    values, places = shares.topk(min(LIKELIEST, len(shares)))
    return tuple((name_of(int(i)), float(v)) for v, i in zip(values.cpu(), places.cpu(), strict=True))


def _fetched(tensor: Tensor) -> Tensor:
    """A copy of its own: what it was cut from may be a thousand times larger."""
    return tensor.detach().float().cpu().clone()
