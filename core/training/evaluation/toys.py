"""How well a network does a toy task: the loss, what it writes by itself, and where it looks while it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from core.training.evaluation.alignments import alignment_error_rate, alignment_hits
from core.training.evaluation.samples import Tally, batch_of, loss_sum
from core.training.reports import Evaluation
from core.training.tasks import Pair, Task
from core.training.toys import sample_of


@torch.no_grad()
def evaluate(network: PreTrainedModel, task: Task, pairs: Sequence[Pair], step: int) -> Evaluation:
    """Evaluate a network on pairs of a task, after `step` optimiser steps; it is left in evaluation mode.

    Accuracies count what the network writes freely, without </s>; a sequence is right only if it also ends in time. The
    alignment is read from the last decoder layer, as the mean over its heads, while the right target is fed in.
    """
    network.eval()
    batch = batch_of(network, [sample_of(task, pair) for pair in pairs], "seq2seq")
    answer = network(**batch.inputs, output_attentions=True)
    score = Tally()
    score.add_written(network, batch)
    return Evaluation(
        step=step,
        loss=loss_sum(answer.logits, batch.target_out) / batch.tokens,
        token_accuracy=score.right / score.tokens,
        sequence_accuracy=score.whole / score.samples,
        alignment=_aligned(answer.cross_attentions[-1], pairs) if answer.cross_attentions else None,
    )


@torch.no_grad()
def alignment_error(network: PreTrainedModel, task: Task, pairs: Sequence[Pair]) -> float | None:
    """The alignment error rate of what `evaluate` reads; None without attention."""
    network.eval()
    batch = batch_of(network, [sample_of(task, pair) for pair in pairs], "seq2seq")
    maps = network(**batch.inputs, output_attentions=True).cross_attentions
    return alignment_error_rate(zip(_mean_over_heads(maps[-1]), pairs, strict=True)) if maps else None


@torch.no_grad()
def cross_attention(network: PreTrainedModel, task: Task, pair: Pair) -> NDArray[np.float32]:
    """Weights (layers, heads, T, S) while the right target is fed in; T and S count </s>, which comes last.

    A network without attention has none: (0, 0, T, S). The network is left in evaluation mode.
    """
    network.eval()
    batch = batch_of(network, [sample_of(task, pair)], "seq2seq")
    maps = network(**batch.inputs, output_attentions=True).cross_attentions
    if not maps:
        return np.zeros((0, 0, len(pair.target) + 1, len(pair.source) + 1), dtype=np.float32)
    return torch.cat(list(maps)).float().cpu().numpy()  # L x (1, H, T, S) -> (L, H, T, S)


def _aligned(weights: torch.Tensor, pairs: Sequence[Pair]) -> float:
    hits = [alignment_hits(rows, pair) for rows, pair in zip(_mean_over_heads(weights), pairs, strict=True)]
    return sum(right for right, _ in hits) / sum(count for _, count in hits)


def _mean_over_heads(weights: torch.Tensor) -> NDArray[np.float32]:
    return weights.float().mean(1).cpu().numpy()  # (B, H, T, S) -> (B, T, S)
