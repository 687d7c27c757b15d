"""One run whose attention calls can be asked for dF/dA: what gradient × attention and Chefer's relevance start from."""

from __future__ import annotations

import torch

from core.capture import record_gradients
from core.capture.gradients import GradientRecording
from core.models.out_of_memory import memory_worded
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn


def walked_back(question: Question, runner: Runner) -> GradientRecording:
    """One forward and one backward pass. Raises HeadlightError where the gradient is not finite."""
    leaf = question.embeddings().requires_grad_()
    with record_gradients(question.model.network) as recording, torch.enable_grad(), without_cudnn():
        value = runner.forward(leaf).sum()
    with without_cudnn(), memory_worded(question.model.name, question.model.device):
        finite(recording.back(value, leaf), "backwards")
    return recording
