"""Loss by position: how well each place of a sequence is predicted, for instance beyond the length of training."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


@torch.no_grad()
def loss_by_position(logits: Tensor, target: Tensor) -> Tensor:
    """Mean negative log-likelihood in nats at each position, over the sequences that reach it.

    logits: (B, T, V). target: (B, T), -100 where nothing is to be predicted. Returns (T,), NaN where none reaches it.
    """
    losses = F.cross_entropy(logits.float().transpose(1, 2), target, ignore_index=-100, reduction="none")  # (B, T)
    counts = (target != -100).sum(0)  # (B, T) -> (T,)
    return losses.sum(0) / counts  # 0 / 0 is NaN, as promised
