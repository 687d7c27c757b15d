"""Work in the background: others get their turns in between, a stop acts at once, and every end is told."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from threading import Event
from time import monotonic, sleep

import pytest

from core.errors import HeadlightError
from core.jobs import Background, DeviceQueue, Job
from core.jobs.background import NO_MEMORY, UNEXPECTED

PATIENCE = 5.0


def counted(number: int, seconds: float = 0.0) -> Iterator[int]:
    for step in range(number):
        sleep(seconds)
        yield step


def failing(error: Exception) -> Iterator[int]:
    yield 0
    raise error


def run_to_the_end(steps: Iterator[int], afterwards: Iterable[object] = ()) -> tuple[Background[int], list[int]]:
    heard: list[int] = []
    background = Background(Job("ann", "lesson"), steps, DeviceQueue(), heard.append, afterwards).start()
    background.join(PATIENCE)
    return background, heard


def test_every_step_is_heard_in_order_and_the_state_is_done() -> None:
    background, heard = run_to_the_end(counted(100))
    assert (heard, background.state, background.error) == (list(range(100)), "done", "")


def test_a_stop_keeps_what_was_done_and_still_does_what_comes_afterwards() -> None:
    kept: list[str] = []
    third = Event()

    def listen(step: int) -> None:
        if step == 2:
            third.set()

    def afterwards() -> Iterator[None]:
        kept.append("saved")
        yield

    background = Background(Job("ann", "lesson"), counted(10_000, 0.01), DeviceQueue(), listen, afterwards()).start()
    assert third.wait(PATIENCE)
    asked = monotonic()
    background.stop()
    background.join(PATIENCE)
    assert monotonic() - asked < 0.5
    assert (background.state, background.stopping, kept) == ("stopped", True, ["saved"])


def test_a_cancelled_job_ends_without_what_comes_afterwards() -> None:
    saved: list[None] = []
    begun = Event()
    afterwards = (saved.append(None) for _ in range(1))
    background = Background(
        Job("ann", "lesson"), counted(10_000, 0.01), DeviceQueue(), lambda step: begun.set(), afterwards
    ).start()
    assert begun.wait(PATIENCE)
    background.cancel()
    background.join(PATIENCE)
    assert (background.state, saved) == ("stopped", [])


def test_it_waits_for_a_device_that_is_taken_and_can_be_cancelled_there() -> None:
    queue = DeviceQueue()
    with queue.turn(Job("bob", "analysis")):
        background = Background(Job("ann", "lesson"), counted(3), queue, lambda step: None).start()
        sleep(0.05)
        assert (background.state, background.ended) == ("waiting", False)
        queue.cancel_owner("ann")
        background.join(PATIENCE)
    assert (background.state, background.ended) == ("stopped", True)


def test_others_get_their_turns_between_two_slices() -> None:
    queue = DeviceQueue()
    begun = Event()
    background = Background(Job("ann", "lesson"), counted(10_000, 0.01), queue, lambda step: begun.set()).start()
    assert begun.wait(PATIENCE)
    waits = []
    for number in range(4):
        asked = monotonic()
        with queue.turn(Job("bob", f"analysis {number}")):
            waits.append(monotonic() - asked)
    assert not background.ended
    background.cancel()
    background.join(PATIENCE)
    assert max(waits) < 0.6


def test_two_lessons_of_one_owner_go_on_side_by_side() -> None:
    queue = DeviceQueue()
    heard: list[str] = []
    both = [
        Background(Job("ann", name), counted(60, 0.01), queue, lambda step, name=name: heard.append(name)).start()
        for name in ("left", "right")
    ]
    for background in both:
        background.join(PATIENCE)
    assert heard.count("left") == heard.count("right") == 60
    assert heard.index("right") < 59


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (HeadlightError("The loss was not finite."), "The loss was not finite."),
        (MemoryError(), NO_MEMORY),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), NO_MEMORY),
        (ZeroDivisionError(), UNEXPECTED),
    ],
)
def test_an_error_ends_it_with_one_sentence(error: Exception, sentence: str, caplog: pytest.LogCaptureFixture) -> None:
    saved: list[None] = []
    with caplog.at_level(logging.ERROR):
        background, heard = run_to_the_end(failing(error), (saved.append(None) for _ in range(1)))
    assert (background.state, background.error, heard, saved) == ("failed", sentence, [0], [])
    assert bool(caplog.records) == (sentence == UNEXPECTED)


def test_an_unforeseen_error_is_in_the_log_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        run_to_the_end(failing(ZeroDivisionError("a step")))
    assert "ZeroDivisionError: a step" in caplog.text


def test_the_device_is_free_after_every_end() -> None:
    queue = DeviceQueue()
    for steps in (counted(2), failing(HeadlightError("no"))):
        Background(Job("ann", "lesson"), steps, queue, lambda step: None).start().join(PATIENCE)
        with queue.turn(Job("bob", "probe")):
            pass
