"""Why attention and a gradient may disagree on a text: what its states and its weights look like (methods.md 2.8)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.agreement.columns import Array
from core.agreement.control import attention_of
from core.errors import HeadlightError
from core.saliency.question import Question
from core.zoo.pooling import PoolingForSequenceClassification


@dataclass(frozen=True)
class Diagnosis:
    """Of the n words of one text; each is NaN where it cannot be told.

    conicity  mean cosine of the words' last states with their mean (Mohankumar and others 2020): near 1 the states are
              all alike, so that other weights would sum up much the same
    largest   share of the words' attention weight that one word has; 1 / n where all have the same
    entropy   of the words' shares, 1 where all have the same, 0 where one word has all
    elsewhere share of all attention weight that special tokens have
    n         words
    """

    conicity: float
    largest: float
    entropy: float
    elsewhere: float
    n: int


def diagnosis(question: Question) -> Diagnosis:
    """The diagnosis of one text. Raises HeadlightError for a model without attention."""
    words = attention_of(question)
    total = float(words.sum())
    shares = words / total if total > 0 else np.full(len(words), math.nan)
    try:
        alike = conicity(_states(question))
    except HeadlightError:
        alike = math.nan
    return Diagnosis(alike, float(shares.max()), evenness(shares), 1 - total, len(words))


def conicity(states: Tensor) -> float:
    """Mean cosine of states (n, D) with their mean; NaN where that is zero, but for what rounding can have left."""
    mean = states.mean(dim=0)
    noise = len(states) * torch.finfo(states.dtype).eps * states.norm(dim=-1).max()
    if bool(mean.norm() <= noise):
        return math.nan
    return float(torch.nn.functional.cosine_similarity(states, mean[None], dim=-1).mean())


def evenness(shares: Array) -> float:
    """Entropy of shares that sum to one, over the most it could be, log n; NaN for one share."""
    if len(shares) < 2:
        return math.nan
    some = shares[~(shares == 0)]
    return float(-(some * np.log(some)).sum() / math.log(len(shares)))


@torch.no_grad()
def _states(question: Question) -> Tensor:
    """Last states of the scored tokens, (T, D): those that attention sums up, or a Transformer's last layer."""
    network = question.model.network
    if isinstance(network, PoolingForSequenceClassification):
        found = network.encoder(question.embeddings(), question.attention_mask().bool())
    else:
        found = question.states(1)[-1]
    return found[0, list(question.scored)].double().cpu()  # (1, T, D) -> (scored, D)
