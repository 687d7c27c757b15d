"""Jobs take turns on a device in a known order, never more than its slots, whatever goes wrong in one."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jobs import Cancelled, DeviceQueue, Job, Progress, Queues
from core.jobs.queue import round_robin

PATIENCE = 5.0


class StopScript(BaseException):
    """Like the exceptions with which Streamlit stops a script."""


class Room:
    """People who line up one after the other in front of a queue, each in a thread of their own."""

    def __init__(self, queue: DeviceQueue, pool: ThreadPoolExecutor) -> None:
        self.queue = queue
        self.pool = pool
        self.granted: list[str] = []

    def line_up(self, owner: str, title: str, fails: bool = False) -> tuple[Job, Future[None], list[int]]:
        """Start a job that finds the device taken, and return once it waits."""
        waits = Event()
        ahead: list[int] = []

        def listen(progress: Progress) -> None:
            ahead.append(progress.total)
            waits.set()
            if fails:
                raise StopScript

        def run() -> None:
            with self.queue.turn(job):
                self.granted.append(title)

        job = Job(owner, title, listen)
        future = self.pool.submit(run)
        assert waits.wait(PATIENCE)
        return job, future, ahead


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def room(pool: ThreadPoolExecutor) -> Room:
    return Room(DeviceQueue(), pool)


def assert_free(queue: DeviceQueue) -> None:
    def refuse(progress: Progress) -> None:
        raise AssertionError("the device is still taken")

    with queue.turn(Job("nobody", "probe", refuse)):
        pass


def test_owners_take_turns_and_an_owners_jobs_stay_in_order(room: Room) -> None:
    with room.queue.turn(Job("ann", "ann0")):
        for title in ["ann1", "ann2", "ann3", "ann4", "ann5", "bob1", "cy1", "cy2"]:
            room.line_up(title[:-1], title)
        assert room.granted == []
    room.pool.shutdown()
    assert room.granted == ["bob1", "cy1", "ann1", "cy2", "ann2", "ann3", "ann4", "ann5"]


def test_superseded_jobs_cost_their_owner_no_turn(room: Room) -> None:
    with room.queue.turn(Job("cy", "cy0")):
        superseded = [room.line_up("ann", title)[1] for title in ("ann1", "ann2")]
        room.line_up("bob", "bob1")
        room.line_up("bob", "bob2")
        room.queue.cancel_owner("ann")
        # Both have left the line: a waiter that has not woken yet would still be served first and pass its turn on.
        assert all(isinstance(future.exception(PATIENCE), Cancelled) for future in superseded)
        room.line_up("ann", "ann3")
    room.pool.shutdown()
    assert room.granted == ["bob1", "ann3", "bob2"]


def test_those_who_wait_hear_how_many_come_before_them(room: Room) -> None:
    with room.queue.turn(Job("ann", "ann0")):
        first, second, third = (room.line_up(title[:-1], title)[2] for title in ["ann1", "ann2", "bob1"])
        assert (first[0], second[0], third[0]) == (1, 2, 1)


def test_a_cancelled_waiter_leaves_and_the_next_one_moves_up(room: Room) -> None:
    with room.queue.turn(Job("ann", "ann0")):
        job, future, _ = room.line_up("bob", "bob1")
        room.line_up("cy", "cy1")
        job.cancel()
        assert isinstance(future.exception(PATIENCE), Cancelled)
    room.pool.shutdown()
    assert room.granted == ["cy1"]
    assert_free(room.queue)


def test_a_waiter_whose_listener_raises_leaves_with_that_exception(room: Room) -> None:
    with room.queue.turn(Job("ann", "ann0")):
        _, future, _ = room.line_up("bob", "bob1", fails=True)
        assert isinstance(future.exception(PATIENCE), StopScript)
        room.line_up("cy", "cy1")
    room.pool.shutdown()
    assert room.granted == ["cy1"]
    assert_free(room.queue)


@pytest.mark.parametrize("error", [RuntimeError, StopScript])
def test_a_job_that_fails_frees_the_device(error: type[BaseException]) -> None:
    queue = DeviceQueue()
    with pytest.raises(error), queue.turn(Job("ann", "ann1")):
        raise error
    assert_free(queue)


def test_a_cancelled_job_gets_no_turn() -> None:
    queue = DeviceQueue()
    job = Job("ann", "ann1")
    job.cancel()
    with pytest.raises(Cancelled), queue.turn(job):
        pytest.fail("a cancelled job ran")
    assert_free(queue)


def test_cancel_owner_reaches_waiting_and_running_jobs_of_that_owner_only(room: Room) -> None:
    running = Job("ann", "ann0")
    with room.queue.turn(running):
        waiting, future, _ = room.line_up("ann", "ann1")
        other, _, _ = room.line_up("bob", "bob1")
        room.queue.cancel_owner("ann")
        assert isinstance(future.exception(PATIENCE), Cancelled)
        assert (running.cancelled, waiting.cancelled, other.cancelled) == (True, True, False)
        with pytest.raises(Cancelled):
            running.advance(1, 2, "layer 1")
    room.pool.shutdown()
    assert room.granted == ["bob1"]


def test_all_slots_are_used_at_once_and_never_more(pool: ThreadPoolExecutor) -> None:
    queue = DeviceQueue(slots=3)
    all_three = Barrier(3)
    inside: set[int] = set()
    most: list[int] = []

    def run(number: int) -> None:
        with queue.turn(Job(f"owner {number % 4}", f"job {number}")):
            inside.add(number)
            all_three.wait(PATIENCE)
            most.append(len(inside))
            inside.discard(number)

    list(pool.map(run, range(15)))
    assert len(most) == 15
    assert max(most) <= 3
    assert_free(queue)


def test_a_turn_inside_a_turn_of_the_same_job_is_free() -> None:
    queue = DeviceQueue()
    job = Job("ann", "ann1")
    with queue.turn(job):
        with queue.turn(job):
            pass
        with pytest.raises(RuntimeError, match="own thread"), queue.turn(Job("ann", "ann2")):
            pytest.fail("two jobs ran at once")
    assert_free(queue)


def test_a_job_belongs_to_one_thread(room: Room) -> None:
    def use(job: Job) -> None:
        with room.queue.turn(job):
            pytest.fail("the job ran twice at once")

    running = Job("ann", "ann0")
    with room.queue.turn(running):
        waiting, _, _ = room.line_up("bob", "bob1")
        for job in (running, waiting):
            assert isinstance(room.pool.submit(use, job).exception(PATIENCE), RuntimeError)
    room.pool.shutdown()
    assert room.granted == ["bob1"]


def test_a_queue_needs_a_slot() -> None:
    with pytest.raises(ValueError, match="at least one slot"):
        DeviceQueue(slots=0)


def test_each_device_has_one_queue_however_many_ask(pool: ThreadPoolExecutor) -> None:
    queues = Queues()
    together = Barrier(8)

    def ask(number: int) -> DeviceQueue:
        together.wait(PATIENCE)
        return queues.of(f"cuda:{number % 2}")

    assert len(set(pool.map(ask, range(8)))) == 2
    assert queues.of("cuda:0") is not queues.of("cuda:1")


def test_devices_do_not_wait_for_each_other_and_are_cancelled_together() -> None:
    queues = Queues()
    first, second, other = Job("ann", "one"), Job("ann", "two"), Job("bob", "three")
    with (
        queues.of("cpu").turn(first),
        queues.of("cuda:0").turn(second),
        queues.of("cuda:1").turn(other),
    ):
        queues.cancel_owner("ann")
    assert (first.cancelled, second.cancelled, other.cancelled) == (True, True, False)


OWNERS = st.sampled_from("abcd")


@given(owners=st.lists(OWNERS, max_size=20), served=st.sets(OWNERS))
def test_round_robin_is_fair(owners: list[str], served: set[str]) -> None:
    order = round_robin(owners, served)
    assert sorted(order) == list(range(len(owners)))
    for owner in set(owners):
        own = [place for place in order if owners[place] == owner]
        assert own == sorted(own)
        others_at_most = (len(set(owners) | {owner}) - 1) * (2 if owner in served else 1)
        assert order.index(own[0]) <= others_at_most
        for earlier, later in pairwise(own):
            between = [owners[place] for place in order[order.index(earlier) + 1 : order.index(later)]]
            assert all(between.count(other) <= 2 for other in between)


@given(owners=st.lists(OWNERS, min_size=1, max_size=20), served=st.sets(OWNERS))
def test_the_order_told_is_the_order_granted(owners: list[str], served: set[str]) -> None:
    first, *rest = round_robin(owners, served)
    new_round = owners[first] in served
    served_then = {owners[first]} | (set() if new_round else served)
    owners_then = owners[:first] + owners[first + 1 :]
    then = [place + (place >= first) for place in round_robin(owners_then, served_then)]
    assert then == rest
