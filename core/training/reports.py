"""StepReport, Evaluation and Snapshot: what training tells after each optimiser step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Evaluation:
    """How good the network is on development examples after `step` optimiser steps.

    loss               mean over the target tokens, in nats, with the right tokens as input and no smoothing
    token_accuracy     share of target tokens that the network writes itself, free-running, at the right place
    sequence_accuracy  share of targets that it writes without a mistake
    alignment          share of target tokens, </s> left out, whose heaviest column is a possible gold link; None where
                       there is no gold alignment or no attention
    """

    step: int
    loss: float
    token_accuracy: float
    sequence_accuracy: float
    alignment: float | None = None


@dataclass(frozen=True)
class Snapshot:
    """Attention weights on one fixed example after `step` optimiser steps, with the right tokens as input.

    weights: float32 (layers, heads, target tokens, source tokens); </s> is the last row and the last column.
    """

    step: int
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class StepReport:
    """One optimiser step, or with `step` 0 the state before the first, which has no loss (NaN) and no tokens.

    steps          optimiser steps of the whole run
    loss           mean over the step's target tokens, in nats, as trained on (with label smoothing, if any)
    learning_rate  of this step; of the topmost layer where layers differ
    gradient_norm  2-norm over all weights before clipping
    tokens         target tokens (a classifier: labels) in this step
    seconds        spent in steps, evaluations and snapshots so far; pauses between steps do not count
    """

    step: int
    steps: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int
    seconds: float
    evaluation: Evaluation | None = None
    snapshot: Snapshot | None = None

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace so far, in seconds; None before the first step."""
        return self.seconds / self.step * (self.steps - self.step) if self.step else None
