"""A job reports in its own thread, stops when asked to, and guesses its time from the stage it is in."""

from threading import Thread, get_ident

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.jobs import Cancelled, Job, Progress
from core.jobs.job import _Pace


def test_listener_hears_each_step_in_the_thread_of_the_job() -> None:
    heard: list[tuple[int, Progress]] = []
    job = Job("ann", "Run BERT", lambda progress: heard.append((get_ident(), progress)))
    for layer in range(4):
        job.advance(layer, 3, f"layer {layer}")
    assert {thread for thread, _ in heard} == {get_ident()}
    told = [(progress.done, progress.total, progress.step) for _, progress in heard]
    assert told == [(0, 3, "layer 0"), (1, 3, "layer 1"), (2, 3, "layer 2"), (3, 3, "layer 3")]
    seconds = [progress.seconds for _, progress in heard]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0


def test_a_job_without_listener_runs_the_same() -> None:
    job = Job("ann", "Run BERT")
    job.check()
    job.advance(1, 2, "layer 1")
    job.waiting(3)


def test_cancel_from_another_thread_stops_the_job_with_one_sentence() -> None:
    heard: list[Progress] = []
    job = Job("ann", "Run BERT", heard.append)
    other = Thread(target=job.cancel)
    other.start()
    other.join()
    assert job.cancelled
    for report in (job.check, lambda: job.advance(1, 2, "layer 1"), lambda: job.waiting(1)):
        with pytest.raises(Cancelled, match=r"^“Run BERT” was stopped [^.]*\.$"):
            report()
    assert heard == []
    assert issubclass(Cancelled, HeadlightError)


def test_a_listener_that_cancels_stops_the_job_at_once() -> None:
    job = Job("ann", "Run BERT", lambda progress: job.cancel())
    with pytest.raises(Cancelled):
        job.advance(1, 2, "layer 1")


def test_what_the_listener_raises_comes_through() -> None:
    class StopScript(BaseException):
        pass

    def stop(progress: Progress) -> None:
        raise StopScript

    job = Job("ann", "Run BERT", stop)
    with pytest.raises(StopScript):
        job.advance(1, 2, "layer 1")
    with pytest.raises(StopScript):
        job.waiting(1)


def test_waiting_counts_those_ahead() -> None:
    heard: list[Progress] = []
    Job("ann", "Run BERT", heard.append).waiting(4)
    (progress,) = heard
    assert (progress.done, progress.total, progress.step) == (0, 4, "waiting")
    assert progress.seconds_left is None


@pytest.mark.parametrize(("done", "total"), [(-1, 2), (3, 2), (0, -1)])
def test_impossible_progress_is_refused(done: int, total: int) -> None:
    with pytest.raises(ValueError, match=f"not at {done} of {total}"):
        Job("ann", "Run BERT").advance(done, total, "layer")


def test_each_stage_has_its_own_estimate() -> None:
    heard: list[Progress] = []
    job = Job("ann", "Train", heard.append)
    for done, total in [(0, 2), (1, 2), (2, 2), (0, 2), (1, 2), (1, 5), (2, 5)]:
        job.advance(done, total, "step")
    known = [progress.seconds_left is not None for progress in heard]
    assert known == [False, True, True, False, True, False, True]
    assert heard[2].seconds_left == 0


def test_estimate_leaves_out_what_came_before_the_stage() -> None:
    assert _Pace(first=2, total=10, since=100.0).seconds_left(done=4, now=106.0) == 18.0


@given(
    first=st.integers(0, 50),
    steps=st.integers(1, 50),
    left=st.integers(0, 50),
    seconds_a_step=st.floats(0.001, 1000),
)
def test_estimate_is_exact_at_a_steady_pace(first: int, steps: int, left: int, seconds_a_step: float) -> None:
    pace = _Pace(first, first + steps + left, since=0.0)
    estimate = pace.seconds_left(first + steps, now=steps * seconds_a_step)
    assert estimate == pytest.approx(left * seconds_a_step)
