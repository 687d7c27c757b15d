"""Adversarial attention (Wiegreffe & Pinter 2019): the predictions of a base model, from other attention weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from core.training.batches import Batch
from core.training.evaluation.samples import BATCH, batch_of
from core.training.losses import Objective
from core.training.reports import Evaluation
from core.training.samples import Sample

# Weights that have rounded to 0 count as this much in a logarithm.
LEAST = 1e-12


@dataclass(frozen=True)
class Answer:
    """What a classifier says of B texts: probabilities (B, K), and the attention weights (B, S) it says it from."""

    probabilities: Tensor
    weights: Tensor


@dataclass(frozen=True)
class Distance:
    """How far a model is from a base, as means over texts.

    tvd: total variation of the predictions, 0 to 1. jsd: Jensen-Shannon divergence of the weights, 0 to ln 2 nats.
    agreement: share of texts where both find the same class likeliest.
    """

    tvd: float
    jsd: float
    agreement: float


def total_variation(first: Tensor, second: Tensor) -> Tensor:
    """½ Σ_k |p_k - q_k| of each row: (B, K), (B, K) -> (B,); 0 to 1."""
    return (first - second).abs().sum(-1) / 2


def relative_entropy(first: Tensor, second: Tensor, mask: Tensor) -> Tensor:
    """KL(α ‖ β) = Σ α (ln α - ln β) over what the mask shows: (B, S), (B, S), (B, S) -> (B,), in nats.

    A weight of 0 adds nothing in α; in β it counts as 1e-12, so that the sum stays finite (at most 27.7).
    """
    ratio = first.clamp_min(LEAST).log() - second.clamp_min(LEAST).log()
    return (first * ratio).masked_fill(mask == 0, 0.0).sum(-1)


def jensen_shannon(first: Tensor, second: Tensor, mask: Tensor) -> Tensor:
    """½ KL(α ‖ m) + ½ KL(β ‖ m) with m = (α + β) / 2: (B, S), (B, S), (B, S) -> (B,); 0 to ln 2 nats."""
    mean = (first + second) / 2
    found = (relative_entropy(first, mean, mask) + relative_entropy(second, mean, mask)) / 2
    return found.clamp_min(0.0)  # of equal weights, rounding leaves a little less


def answer_of(network: nn.Module, batch: Batch) -> Answer:
    """What a classifier with pooling attention says of a batch, in float32."""
    output = network(**batch.inputs, output_attentions=True)
    weights = output.attentions[0][:, 0, 0]  # (B, 1, 1, S) -> (B, S)
    return Answer(output.logits.float().softmax(-1), weights.float())


def away_from(base: PreTrainedModel, strength: float) -> Objective:
    """Σ over texts of TVD(ŷ, ŷ_base) - λ KL(α ‖ α_base), λ = strength; the base reads the same batch, at rest."""

    def objective(network: nn.Module, batch: Batch) -> Tensor:
        return _loss(answer_of(network, batch), _at_rest(base, batch), batch.mask, strength)

    return objective


def _loss(own: Answer, base: Answer, mask: Tensor, strength: float) -> Tensor:
    copied = total_variation(own.probabilities, base.probabilities)  # (B,)
    return (copied - strength * relative_entropy(own.weights, base.weights, mask)).sum()


@torch.no_grad()
def evaluate_against(
    network: PreTrainedModel, base: PreTrainedModel, samples: Sequence[Sample], strength: float, step: int
) -> Evaluation:
    """The mean of the adversary's loss, and its accuracy by the labels; the network is left in evaluation mode."""
    loss, right = 0.0, 0
    for start in range(0, len(samples), BATCH):
        batch = batch_of(network, samples[start : start + BATCH], "classifier")
        own = _at_rest(network, batch)
        loss += float(_loss(own, _at_rest(base, batch), batch.mask, strength))
        right += int((own.probabilities.argmax(-1) == batch.target_out).sum())
    return Evaluation(step, loss / len(samples), right / len(samples), right / len(samples))


def distance(network: PreTrainedModel, base: PreTrainedModel, samples: Sequence[Sample]) -> Distance:
    """How far a model is from a base on samples, as means over them; both are left in evaluation mode."""
    tvd = jsd = same = 0.0
    for start in range(0, len(samples), BATCH):
        batch = batch_of(network, samples[start : start + BATCH], "classifier")
        own, other = _at_rest(network, batch), _at_rest(base, batch)
        tvd += float(total_variation(own.probabilities, other.probabilities).sum())
        jsd += float(jensen_shannon(own.weights, other.weights, batch.mask).sum())
        same += int((own.probabilities.argmax(-1) == other.probabilities.argmax(-1)).sum())
    return Distance(tvd / len(samples), jsd / len(samples), same / len(samples))


@torch.no_grad()
def _at_rest(network: PreTrainedModel, batch: Batch) -> Answer:
    return answer_of(network.eval(), batch)
