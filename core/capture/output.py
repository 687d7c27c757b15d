"""What a model answered at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

# What makes a probability of a logit: a share among all, its own sigmoid, or nothing where the model means the number.
SOFTMAX, SIGMOID, NUMBER = "softmax", "sigmoid", "number"


@dataclass(frozen=True)
class Output:
    """The answer and what it means.

    kind        "labels" (values: logits (labels,)), "next tokens" (logits (vocabulary,) after the last token),
                "token labels" (logits (T, labels), of a tagger), "span" (logits (2, T) of its start and its end),
                "choices" (the score of each),
                "masked words" (logits (vocabulary,) at the mask), "token logits" ((T, ...), what a masked language
                model says of each token where none is masked), or "hidden states" ((T, width)) without a head
    names       names of the labels, whether of the text or of each token, or () where the kind has none
    likeliest   labels, tokens or spans with their probabilities, the most probable first; labels with their numbers,
                in the network's order, where these are no probabilities; () for the other kinds
    written     the text that the model wrote itself, or None where nothing was to be written
    function    what makes probabilities of the logits: "softmax", "sigmoid", or "number" where they are none
    """

    kind: str
    values: Tensor
    names: tuple[str, ...] = ()
    likeliest: tuple[tuple[str, float], ...] = ()
    written: str | None = None
    function: str = SOFTMAX


def shares_of(logits: Tensor, function: str = SOFTMAX) -> Tensor:
    """(..., K) -> (..., K): probabilities, shared out or each by itself; numbers that are none stay as they are."""
    if function == NUMBER:
        return logits
    return torch.sigmoid(logits) if function == SIGMOID else torch.softmax(logits, dim=-1)
