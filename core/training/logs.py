"""TensorBoard logs of a run: event files with its scalars, which `tensorboard --logdir FOLDER` shows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary

from core.training.checkpoints import explained_when_full
from core.training.reports import StepReport

SECONDS_BETWEEN_FLUSHES = 5.0


class Log:
    """Writes reports into a folder; a context manager that closes the file.

    Scalars over optimiser steps: loss/training, learning_rate, gradient_norm, and of evaluations loss/development,
    accuracy/tokens, accuracy/sequences and alignment. A resumed run gives the number of steps that are `done`, and what
    was logged after them is no longer shown.

    tensorboardX's own SummaryWriter is not used: its thread dies silently on a full disk, and the run then waits for it
    for ever. All methods raise `HeadlightError` when the disk is full.
    """

    def __init__(self, folder: Path, *, done: int = 0) -> None:
        self._folder = folder
        # The name of an event file holds only the second in which it began; two in one second would be one file.
        suffix = f".{time.time_ns()}"
        with explained_when_full(folder / "events"):
            folder.mkdir(parents=True, exist_ok=True)
            self._writer = EventsWriter(str(folder / "events"), suffix)
        self._flushed_at = time.monotonic()
        if done:
            self._put(Event(step=done + 1, session_log=SessionLog(status=SessionLog.START)))

    def write(self, report: StepReport) -> None:
        """Add what a report holds; step 0 has an evaluation at most."""
        if report.step:
            self._add(
                report.step,
                {
                    "loss/training": report.loss,
                    "learning_rate": report.learning_rate,
                    "gradient_norm": report.gradient_norm,
                },
            )
        evaluation = report.evaluation
        if evaluation is not None:
            scores = {
                "loss/development": evaluation.loss,
                "accuracy/tokens": evaluation.token_accuracy,
                "accuracy/sequences": evaluation.sequence_accuracy,
            }
            aligned = {} if evaluation.alignment is None else {"alignment": evaluation.alignment}
            self._add(evaluation.step, scores | aligned)
        if time.monotonic() - self._flushed_at > SECONDS_BETWEEN_FLUSHES:
            self.flush()

    def flush(self) -> None:
        """Have all that was written reach the disk, as it should whenever a checkpoint does."""
        with explained_when_full(self._folder / "events"):
            self._writer.flush()
        self._flushed_at = time.monotonic()

    def close(self) -> None:
        """Write out what is still in memory."""
        with explained_when_full(self._folder / "events"):
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add(self, step: int, scalars: Mapping[str, float]) -> None:
        values = [Summary.Value(tag=name, simple_value=value) for name, value in scalars.items()]
        self._put(Event(step=step, summary=Summary(value=values)))

    def _put(self, event: Event) -> None:
        event.wall_time = time.time()
        with explained_when_full(self._folder / "events"):
            self._writer.write_event(event)
