"""How well a network does on samples of any kind: the loss, and what it gets right."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional as F
from transformers import PreTrainedModel

from core.training.batches import Batch, Kind, collate
from core.training.evaluation.greedy import greedy
from core.training.reports import Evaluation
from core.training.samples import Sample

# Samples in one pass.
BATCH = 128


@torch.no_grad()
def evaluate_samples(
    network: PreTrainedModel, samples: Sequence[Sample], kind: Kind, step: int, written: int | None = None
) -> Evaluation:
    """Evaluate a network after `step` optimiser steps; it is left in evaluation mode.

    seq2seq: accuracies count what it writes freely, of the first `written` samples only where that is given. A language
    model's count what it predicts next after the right tokens; both of a classifier's are its accuracy.
    """
    network.eval()
    loss, count = 0.0, 0
    score = Tally()
    for start in range(0, len(samples), BATCH):
        batch = batch_of(network, samples[start : start + BATCH], kind)
        logits = network(**batch.inputs).logits
        loss += loss_sum(logits, batch.target_out)
        count += batch.tokens
        if kind != "seq2seq":
            score.add_predicted(logits.argmax(-1), batch.target_out)
    if kind == "seq2seq":
        for start in range(0, min(len(samples), written or len(samples)), BATCH):
            score.add_written(
                network, batch_of(network, samples[start : min(start + BATCH, written or len(samples))], kind)
            )
    return Evaluation(step, loss / count, score.right / score.tokens, score.whole / score.samples)


def batch_of(network: PreTrainedModel, samples: Sequence[Sample], kind: Kind) -> Batch:
    """Samples as a batch on the network's device."""
    config = network.config
    start = getattr(config, "decoder_start_token_id", None) or getattr(config, "bos_token_id", None) or 1
    return collate(samples, kind, pad=config.pad_token_id or 0, bos=start).to(network.device)


def loss_sum(logits: torch.Tensor, target: torch.Tensor) -> float:
    """Negative log-likelihood in nats, summed over all places with a target: (B, T, V), (B, T) or (B, K), (B,)."""
    flat = logits.float().reshape(-1, logits.shape[-1])  # (B, T, V) -> (B · T, V)
    return float(F.cross_entropy(flat, target.reshape(-1), reduction="sum"))


class Tally:
    """Counts what is right: tokens (without </s> where a network writes freely) and whole samples."""

    def __init__(self) -> None:
        self.right = self.tokens = self.whole = self.samples = 0

    def add_predicted(self, predicted: torch.Tensor, target: torch.Tensor) -> None:
        """Predictions (B, T) or (B,) against targets of that shape, -100 where there is none."""
        predicted, target = predicted.reshape(len(target), -1), target.reshape(len(target), -1)
        wanted = target != -100
        self._count((predicted == target) & wanted, wanted)
        self.whole += int(((predicted == target) | ~wanted).all(1).sum())
        self.samples += len(target)

    def add_written(self, network: PreTrainedModel, batch: Batch) -> None:
        """What a sequence-to-sequence network writes; a sample is right only if its </s> comes in time, too."""
        target = batch.target_out  # (B, T)
        written = greedy(network, batch.source, batch.mask, target.shape[1])
        written = F.pad(written, (0, target.shape[1] - written.shape[1]))  # (B, T') -> (B, T)
        wanted = target != -100
        hits = (written == target) & wanted
        ends = target == network.config.eos_token_id
        self._count(hits & ~ends, wanted & ~ends)
        self.whole += int((hits == wanted).all(1).sum())
        self.samples += len(target)

    def _count(self, hits: torch.Tensor, wanted: torch.Tensor) -> None:
        self.right += int(hits.sum())
        self.tokens += int(wanted.sum())
