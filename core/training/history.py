"""History: what a run has reported so far, appended to by its thread and read by others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

from core.training.reports import Evaluation, Snapshot, StepReport


@dataclass(frozen=True)
class Record:
    """A history at one moment. `steps` holds optimiser steps only, so never step 0."""

    steps: tuple[StepReport, ...]
    evaluations: tuple[Evaluation, ...]
    snapshots: tuple[Snapshot, ...]


class History:
    """Reports in the order in which they came; every reader gets a copy of its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: list[StepReport] = []
        self._evaluations: list[Evaluation] = []
        self._snapshots: list[Snapshot] = []

    def append(self, report: StepReport) -> None:
        """Add a report; its evaluation and snapshot go into their own lists, also those of step 0."""
        with self._lock:
            if report.step:
                self._steps.append(replace(report, evaluation=None, snapshot=None))
            if report.evaluation is not None:
                self._evaluations.append(report.evaluation)
            if report.snapshot is not None:
                self._snapshots.append(report.snapshot)

    @property
    def steps(self) -> list[StepReport]:
        """The optimiser steps, without their evaluations and snapshots."""
        with self._lock:
            return list(self._steps)

    @property
    def evaluations(self) -> list[Evaluation]:
        """All evaluations, that before the first step included."""
        with self._lock:
            return list(self._evaluations)

    @property
    def snapshots(self) -> list[Snapshot]:
        """All snapshots, that before the first step included."""
        with self._lock:
            return list(self._snapshots)

    def now(self) -> Record:
        """All three lists as they are at this moment, consistent with each other."""
        with self._lock:
            return Record(tuple(self._steps), tuple(self._evaluations), tuple(self._snapshots))
