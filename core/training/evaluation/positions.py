"""Loss by position: how well each place of a sequence is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import PreTrainedModel

from core.training.batches import Kind
from core.training.evaluation.samples import BATCH, batch_of
from core.training.samples import Sample

# Where one range of positions ends and the next begins: each reaches four times as far as the one before.
BOUNDS = (0, 1, 4, 16, 64, 256, 1024, 4096)


@torch.no_grad()
def loss_by_position(logits: Tensor, target: Tensor) -> Tensor:
    """Mean negative log-likelihood in nats at each position, over the sequences that reach it.

    logits: (B, T, V). target: (B, T), -100 where nothing is to be predicted. Returns (T,), NaN where none reaches it.
    """
    sums, counts = _summed(logits, target)
    return sums / counts  # 0 / 0 is NaN, as promised


@torch.no_grad()
def loss_by_range(network: PreTrainedModel, samples: Sequence[Sample], kind: Kind) -> dict[str, float]:
    """Mean loss in nats over the tokens of each range of positions: {"1": 6.1, "2–4": 4.2, …}.

    Positions are counted from 1 up to 4,096; ranges that no sample reaches are left out. The network is left in
    evaluation mode.
    """
    network.eval()
    sums, counts = torch.zeros(BOUNDS[-1]), torch.zeros(BOUNDS[-1])
    for start in range(0, len(samples), BATCH):
        batch = batch_of(network, samples[start : start + BATCH], kind)
        parts = _summed(network(**batch.inputs).logits, batch.target_out)
        for total, part in zip((sums, counts), parts, strict=True):
            total[: len(part)] += part[: BOUNDS[-1]].cpu()
    return mean_by_range(sums, counts, BOUNDS)


def mean_by_range(sums: Tensor, counts: Tensor, bounds: Sequence[int]) -> dict[str, float]:
    """Sums (T,) over counts (T,), added up in each range of positions: {"1": …, "2–4": …}, counted from 1.

    bounds: where one range ends and the next begins. A range ends early, or is left out, where nothing is counted any
    more.
    """
    reached = int(counts.nonzero().max()) + 1 if bool(counts.any()) else 0
    ranges = ((low, min(high, reached)) for low, high in pairwise(bounds) if low < reached)
    return {
        _words(low + 1, high): float(sums[low:high].sum() / counts[low:high].sum())
        for low, high in ranges
        if bool(counts[low:high].any())
    }


def _words(first: int, last: int) -> str:
    return f"{first:,}–{last:,}" if first < last else f"{last:,}"


def _summed(logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Losses added up at each position, and how many there are: (B, T, V), (B, T) -> (T,), (T,)."""
    losses = F.cross_entropy(logits.float().transpose(1, 2), target, ignore_index=-100, reduction="none")  # (B, T)
    return losses.sum(0), (target != -100).sum(0)
