from __future__ import annotations

import math
from pathlib import Path

import pytest

from core.errors import HeadlightError
from core.training import Evaluation, StepReport
from core.training.logs import Log
from tests.training.event_files import events, scalars
from tests.training.small import longest_file


def report(step: int, evaluation: Evaluation | None = None) -> StepReport:
    loss = 1 / step if step else math.nan
    return StepReport(step, 9, loss, 1e-3 * step, 2.0 * step, 12, 0.1 * step, evaluation)


def test_each_number_is_under_its_name_at_its_step(tmp_path: Path) -> None:
    with Log(tmp_path) as log:
        log.write(report(0, Evaluation(0, 2.5, 0.1, 0.0)))
        log.write(report(1))
        log.write(report(2, Evaluation(2, 1.5, 0.8, 0.5, alignment=0.9)))
    assert scalars(tmp_path) == {
        "loss/training": [(1, 1.0), (2, 0.5)],
        "learning_rate": [(1, 1e-3), (2, 2e-3)],
        "gradient_norm": [(1, 2.0), (2, 4.0)],
        "loss/development": [(0, 2.5), (2, 1.5)],
        "accuracy/tokens": [(0, pytest.approx(0.1)), (2, pytest.approx(0.8))],
        "accuracy/sequences": [(0, 0.0), (2, 0.5)],
        "alignment": [(2, pytest.approx(0.9))],
    }


def test_what_was_flushed_is_there_before_the_end(tmp_path: Path) -> None:
    with Log(tmp_path) as log:
        log.write(report(1))
        log.flush()
        assert scalars(tmp_path)["loss/training"] == [(1, 1.0)]


def test_two_runs_begun_in_one_second_keep_their_own_files(tmp_path: Path) -> None:
    with Log(tmp_path) as first, Log(tmp_path) as second:
        first.write(report(1))
        second.write(report(2))
    assert scalars(tmp_path)["loss/training"] == [(1, 1.0), (2, 0.5)]


def test_a_full_disk_ends_with_one_sentence_and_never_waits(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.flush()

    def write_much() -> None:
        for step in range(1, 1000):
            log.write(report(step))

    with longest_file(200), pytest.raises(HeadlightError, match=r"disk of .* is full"):
        write_much()


def test_a_resumed_run_takes_back_what_was_logged_after_its_checkpoint(tmp_path: Path) -> None:
    with Log(tmp_path / "a") as log:
        log.write(report(1))
    with Log(tmp_path / "b", done=4) as log:
        log.write(report(5))
    sessions = [event for event in events(tmp_path / "b") if event.HasField("session_log")]
    assert [event.step for event in sessions] == [5]
    assert not any(event.HasField("session_log") for event in events(tmp_path / "a"))
