"""Cross-entropy with label smoothing in both conventions, as a sum and a count, so that batches of any size add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch.nn.functional as F
from torch import Tensor, nn

from core.training.options import Options, Smoothing

if TYPE_CHECKING:
    from core.training.batches import Batch

# The loss of a network on a batch, summed over all places with a target.
Objective = Callable[[nn.Module, "Batch"], Tensor]

# What torch, and all who copied it, mark a place with where nothing is to be predicted.
IGNORED = -100


def cross_entropy_of(options: Options) -> Objective:
    """Cross-entropy, smoothed as the options say."""

    def objective(network: nn.Module, batch: Batch) -> Tensor:
        logits = network(**batch.inputs).logits  # (B, T, V), or (B, labels)
        return smoothed_cross_entropy(logits, batch.target_out, options.label_smoothing, options.smoothing)[0]

    return objective


def smoothed_cross_entropy(
    logits: Tensor, target: Tensor, epsilon: float = 0.0, convention: Smoothing = "uniform"
) -> tuple[Tensor, int]:
    """The sum of -Σ_k q_k ln p_k over all places with a target, in nats, and their number.

    logits: (..., K), computed in float32 whatever their type. target: (...), -100 where nothing is to be predicted.
    q of the right answer and of each other one, with ε = epsilon:
        "uniform"  1 - ε + ε/K  and  ε/K      (Szegedy et al. 2016; torch.nn.functional.cross_entropy)
        "others"   1 - ε        and  ε/(K-1)  (tutorials: "0.9, and 0.1 shared by the rest")
    """
    answers = logits.shape[-1]
    # "others" is "uniform" with a larger ε: the right answer's own share of it comes on top.
    spread = epsilon if convention == "uniform" or answers == 1 else epsilon * answers / (answers - 1)
    flat, right = logits.float().reshape(-1, answers), target.reshape(-1)  # (..., K) -> (N, K), (...) -> (N,)
    if spread <= 1:
        total = _summed(flat, right, spread)
    else:
        # torch takes no more than 1, where the right answer has as little as each other; the loss is linear in ε.
        total = (1 - spread) * _summed(flat, right, 0.0) + spread * _summed(flat, right, 1.0)
    return total, int((target != IGNORED).sum())


def _summed(flat: Tensor, right: Tensor, spread: float) -> Tensor:
    return F.cross_entropy(flat, right, ignore_index=IGNORED, reduction="sum", label_smoothing=spread)
