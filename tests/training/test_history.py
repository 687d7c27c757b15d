import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from core.training import Evaluation, History, Snapshot, StepReport


def report(step: int) -> StepReport:
    return StepReport(step, 10, 1.0, 1e-3, 0.5, 12, float(step))


FRAME = Snapshot(0, np.zeros((1, 1, 2, 2), np.float32))
EVALUATION = Evaluation(0, 2.0, 0.1, 0.0)


def test_reports_are_sorted_into_steps_evaluations_and_snapshots() -> None:
    history = History()
    history.append(replace(report(0), loss=float("nan"), evaluation=EVALUATION, snapshot=FRAME))
    history.append(report(1))
    history.append(replace(report(2), evaluation=replace(EVALUATION, step=2)))
    assert history.steps == [report(1), report(2)]
    assert [evaluation.step for evaluation in history.evaluations] == [0, 2]
    assert history.snapshots == [FRAME]


def test_readers_get_copies() -> None:
    history = History()
    history.append(report(1))
    record, steps = history.now(), history.steps
    steps.clear()
    history.append(report(2))
    assert len(history.steps) == 2
    assert record.steps == (report(1),)
    with pytest.raises(FrozenInstanceError):
        record.steps = ()  # type: ignore[misc]


def test_a_reader_never_sees_half_a_report() -> None:
    history = History()

    def write() -> None:
        for step in range(1, 3000):
            history.append(replace(report(step), evaluation=replace(EVALUATION, step=step)))

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive():
        record = history.now()
        assert len(record.steps) == len(record.evaluations)
    writer.join()


def test_time_left_follows_from_the_pace() -> None:
    assert report(4).seconds_left == pytest.approx(6.0)
    assert report(10).seconds_left == 0
    assert report(0).seconds_left is None


def test_all_that_a_page_needs_before_a_run_comes_without_torch() -> None:
    code = "import sys, core.training; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2]).returncode == 0
