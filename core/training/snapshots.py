"""The attention film: what a network looks at on one fixed example, frame by frame, and the labels of its cells."""

from __future__ import annotations

from collections.abc import Callable

from transformers import PreTrainedModel

from core.training.evaluation.toys import cross_attention
from core.training.reports import Snapshot
from core.training.tasks import Task
from core.training.vocabulary import END

# A space of a date must be seen on an axis.
_SHOWN = str.maketrans({" ": "␣"})


def film(network: PreTrainedModel, task: Task) -> Callable[[int], Snapshot]:
    """A function from the number of steps done to the frame of the task's shown example at this moment."""
    return lambda step: Snapshot(step, cross_attention(network, task, task.shown))


def labels_of(text: str) -> tuple[str, ...]:
    """The labels of a text's rows or columns: its characters and </s>."""
    return (*text.translate(_SHOWN), END)
