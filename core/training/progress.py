"""Progress in words: a line every few seconds and after each evaluation, with the time that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from transformers.utils import logging

from core.training.reports import StepReport

EVERY = 5.0


class Progress:
    """Says how far a run is; `say` gets one line at a time."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = float("-inf")

    def tell(self, report: StepReport) -> None:
        """Say what a report brings, unless something was said a moment ago."""
        if report.evaluation is None and monotonic() - self._said < EVERY:
            return
        self._said = monotonic()
        self._say(line_of(report))


def line_of(report: StepReport) -> str:
    """One line: "step 120 of 600, loss 0.532, development loss 0.601, accuracy 0.81, alignment 0.93, 1:20 left"."""
    parts = [f"step {report.step:,} of {report.steps:,}"]
    if report.step:
        parts.append(f"loss {report.loss:.3f}")
    if (seen := report.evaluation) is not None:
        parts += [f"development loss {seen.loss:.3f}", f"accuracy {seen.token_accuracy:.3f}"]
        if seen.alignment is not None:
            parts.append(f"alignment {seen.alignment:.3f}")
    if report.seconds_left is not None:
        parts.append(f"{clock(report.seconds_left)} left")
    return ", ".join(parts)


@contextmanager
def without_bars() -> Iterator[None]:
    """Without transformers' own bars, for instance over the files of a model; afterwards they are as they were."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def clock(seconds: float) -> str:
    """Minutes and seconds as 1:05, from an hour on 1:02:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
