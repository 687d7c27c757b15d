"""Extrapolation: loss and attention entropy of a language model by position, far beyond the length of training."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.training.evaluation.positions import loss_by_position, mean_by_range
from core.training.evaluation.samples import batch_of
from core.training.samples import Sample

# How many times the training length is read, and blocks of that length at the most.
FAR, BLOCKS = 8, 96
# Ends of the ranges, in training lengths.
ENDS = (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)
# Attention weights of one layer and head that are held at once.
_HELD = 2**21
LOSS = "Loss by position, beyond the training length (nats)"
ENTROPY = "Attention entropy by position (nats, mean of heads and layers)"
SHARE = "Attention entropy by position (share of the logarithm of visible keys)"


@torch.no_grad()
def extrapolation(network: PreTrainedModel, blocks: Sequence[Sample], length: int) -> dict[str, dict[str, float]]:
    """Three tables, each {"1–16": …, "17–32": …} for a training length of 64: loss, entropy, and entropy as a share.

    blocks: texts of one length, several times the training length; the first BLOCKS are read. Position t is predicted
    from t visible keys, <s> among them. Its entropy is -Σ w ln w over them, and the share divides it by ln t, so that 1
    is attention spread evenly; position 1 has one key, and no share. The network is left in evaluation mode.
    """
    network.eval()
    read = blocks[:BLOCKS]
    reach = len(read[0].target)
    at_once = max(1, _HELD // reach**2)
    losses, entropies = torch.zeros(reach), torch.zeros(reach)
    for start in range(0, len(read), at_once):
        batch = batch_of(network, read[start : start + at_once], "language model")
        answer = network(**batch.inputs, output_attentions=True)
        losses += len(batch.source) * loss_by_position(answer.logits, batch.target_out).cpu()
        entropies += len(batch.source) * mean_entropy(answer.attentions).cpu()
    counts = torch.full((reach,), float(len(read)))
    bounds = [0, *sorted({round(end * length) for end in ENDS if end * length >= 1})]
    # Position 1 is not counted in the share: 0 of ln 1 = 0.
    evenly = torch.arange(1, reach + 1).log()  # (T,)
    shares = torch.where(evenly > 0, entropies / evenly, 0.0)
    return {
        LOSS: mean_by_range(losses, counts, bounds),
        ENTROPY: mean_by_range(entropies, counts, bounds),
        SHARE: mean_by_range(shares, counts * (evenly > 0), bounds),
    }


def mean_entropy(layers: Sequence[Tensor]) -> Tensor:
    """Entropy in nats of each row of attention weights, a mean over texts, heads and layers.

    layers: (B, H, T, S) each. Returns (T,).
    """
    rows = [torch.special.entr(weights.float()).sum(-1).mean((0, 1)) for weights in layers]  # (B, H, T, S) -> (T,)
    return torch.stack(rows).mean(0)
