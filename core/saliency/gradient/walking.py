"""One run whose attention calls can be asked for dF/dA: what gradient × attention and Chefer's relevance start from."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from core.capture import record_gradients
from core.capture.gradients import GradientRecording
from core.models.out_of_memory import memory_worded
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn

# Queries whose weights are worked out together: of all of a layer's, several copies would be in memory at once.
ROWS_AT_ONCE = 64


def walked_back(question: Question, runner: Runner) -> GradientRecording:
    """One forward and one backward pass. Raises HeadlightError where the gradient is not finite."""
    leaf = question.embeddings().requires_grad_()
    with record_gradients(question.model.network) as recording, torch.enable_grad(), without_cudnn():
        value = runner.forward(leaf).sum()
    with without_cudnn(), memory_worded(question.model.name, question.model.device):
        finite(recording.back(value, leaf), "backwards")
    return recording


def products(recording: GradientRecording, place: int) -> Iterator[Tensor]:
    """A · dF/dA of a call, some rows at a time: float32 (H, rows, S)."""
    for first in range(0, recording.calls[place].queries, ROWS_AT_ONCE):
        yield recording.product(place, slice(first, first + ROWS_AT_ONCE))


def by_key(recording: GradientRecording, place: int) -> Tensor:
    """A · dF/dA of a call, its mean over heads, summed over queries: (S,) in float64 on the CPU."""
    parts = [part.double().mean(dim=0).sum(dim=0) for part in products(recording, place)]  # (H, rows, S) -> (S,)
    return torch.stack(parts).sum(dim=0).cpu()
