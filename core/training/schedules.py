"""Learning rate schedules: the rate of each optimiser step, as formulas. Steps count from 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from core.training.options import Options


@dataclass(frozen=True)
class Schedule:
    """One way to change the learning rate.

    `factor(step, steps, warmup, width)` multiplies `Options.learning_rate`; `usual_rate` is a learning rate to begin
    with, 1 where the schedule has a scale of its own.
    """

    name: str
    title: str
    summary: str
    factor: Callable[[int, int, int, int], float]
    usual_rate: float = 3e-3


def rate(step: int, options: Options, width: int) -> float:
    """The learning rate of an optimiser step; `width` is the network's hidden size, which only "noam" reads.

    Step 1 is the first. Raises `ValueError` for an earlier one.
    """
    if step < 1:
        raise ValueError(f"Steps count from 1, so none is number {step}.")
    factor = SCHEDULES[options.schedule].factor
    return options.learning_rate * factor(step, options.steps, options.warmup, width)


def noam(step: int, width: int, warmup: int) -> float:
    """width^-½ · min(step^-½, step · warmup^-1½) (Vaswani et al. 2017, section 5.3): highest, (width · warmup)^-½, at
    step = warmup. Without warm-up the second term is left out."""
    return width**-0.5 * min(step**-0.5, step * max(1, warmup) ** -1.5)


def _rise(step: int, warmup: int) -> float:
    """Linear warm-up: step / warmup until it is 1 (Goyal et al. 2017)."""
    return min(1.0, step / warmup) if warmup else 1.0


def _done(step: int, steps: int, warmup: int) -> float:
    """Share of the steps after the warm-up that were made before this one: 0 at the first, below 1 at the last."""
    return max(0, step - warmup - 1) / max(1, steps - warmup)


def _constant(step: int, steps: int, warmup: int, width: int) -> float:
    return _rise(step, warmup)


def _linear(step: int, steps: int, warmup: int, width: int) -> float:
    return _rise(step, warmup) * max(0.0, 1 - _done(step, steps, warmup))


def _cosine(step: int, steps: int, warmup: int, width: int) -> float:
    """Half a cosine down to 0 after the last step (Loshchilov and Hutter 2017, without restarts)."""
    return _rise(step, warmup) * (1 + math.cos(math.pi * min(1.0, _done(step, steps, warmup)))) / 2


def _inverse_sqrt(step: int, steps: int, warmup: int, width: int) -> float:
    """Noam's shape with its top at 1, whatever the width (fairseq's inverse_sqrt)."""
    return min(_rise(step, warmup), math.sqrt(max(1, warmup) / step))


def _noam(step: int, steps: int, warmup: int, width: int) -> float:
    return noam(step, width, warmup)


SCHEDULES: dict[str, Schedule] = {
    schedule.name: schedule
    for schedule in (
        Schedule("constant", "Constant", "The same rate at every step after the warm-up.", _constant),
        Schedule(
            "linear",
            "Linear",
            "After the warm-up, in a straight line to 0 after the last step.",
            _linear,
        ),
        Schedule(
            "cosine",
            "Cosine",
            "After the warm-up, along half a cosine to 0 after the last step.",
            _cosine,
        ),
        Schedule(
            "inverse_sqrt",
            "Inverse square root",
            "After the warm-up, down with one over the square root of the step: a quarter of the rate at sixteen times"
            " the warm-up.",
            _inverse_sqrt,
        ),
        Schedule(
            "noam",
            "Noam",
            "The Transformer paper's: its top, one over the square root of width times warm-up, is set by the network"
            " and the warm-up, and the learning rate is only a factor on it.",
            _noam,
            usual_rate=1.0,
        ),
    )
}
