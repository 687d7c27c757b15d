"""DeviceQueue: jobs take turns on a device, one owner after the other."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Lock, get_ident

from core.jobs.job import Job

SECONDS_BETWEEN_CHECKS = 0.1


def round_robin(owners: Sequence[str], served: Collection[str]) -> list[int]:
    """The order in which waiting jobs get their turn, as positions in `owners`.

    `owners` names the owner of each waiting job, first come first. An owner gets one turn a round, and those
    in `served` already had theirs in the current one.
    """
    turns = Counter(set(served))
    rounds = []
    for owner in owners:
        rounds.append(turns[owner])
        turns[owner] += 1
    return sorted(range(len(owners)), key=rounds.__getitem__)


class DeviceQueue:
    """A fair queue for one device: `slots` jobs at once, owners in turn, an owner's jobs as they came."""

    def __init__(self, slots: int = 1) -> None:
        if slots < 1:
            raise ValueError(f"A device needs at least one slot, not {slots}.")
        self._slots = slots
        self._changed = Condition()
        self._waiting: dict[Job, int] = {}
        self._running: dict[Job, int] = {}
        self._served: set[str] = set()

    @contextmanager
    def turn(self, job: Job) -> Iterator[None]:
        """Wait for the job's turn and hold it for the length of the block.

        While it waits, the job's listener hears how many jobs come before it. A turn inside a turn of the
        same job is free. Whoever needs several devices takes them in the order of their names, or two jobs
        may wait for each other for ever.

        Raises `Cancelled` if the job is stopped while it waits, whatever its listener raises, and
        `RuntimeError` where waiting would never end: the thread already holds a turn for another job, or
        another thread uses this job.
        """
        if self._holds(job):
            yield
            return
        self._join(job)
        try:
            self._wait(job)
            yield
        finally:
            self._leave(job)

    def cancel_owner(self, owner: str) -> None:
        """Cancel all jobs of an owner, waiting or running; those that run stop at their next check."""
        with self._changed:
            for job in (*self._waiting, *self._running):
                if job.owner == owner:
                    job.cancel()
            self._changed.notify_all()

    def _holds(self, job: Job) -> bool:
        with self._changed:
            return self._running.get(job) == get_ident()

    def _join(self, job: Job) -> None:
        with self._changed:
            if job in self._waiting or job in self._running:
                raise RuntimeError(f"Another thread already uses the job “{job.title}”; make a job for each.")
            if get_ident() in self._running.values():
                raise RuntimeError(f"“{job.title}” would wait for its own thread; pass on the job that runs.")
            self._waiting[job] = get_ident()
            self._grant()

    def _wait(self, job: Job) -> None:
        while ahead := self._ahead(job):
            job.waiting(ahead)
            with self._changed:
                self._changed.wait_for(lambda: job in self._running or job.cancelled, SECONDS_BETWEEN_CHECKS)
        job.check()

    def _leave(self, job: Job) -> None:
        with self._changed:
            self._waiting.pop(job, None)
            self._running.pop(job, None)
            self._grant()

    def _ahead(self, job: Job) -> int:
        """How many jobs run or get their turn before this one; 0 only for a job that has its own."""
        with self._changed:
            return 0 if job in self._running else len(self._running) + self._order().index(job)

    def _order(self) -> list[Job]:
        jobs = list(self._waiting)
        return [jobs[place] for place in round_robin([job.owner for job in jobs], self._served)]

    def _grant(self) -> None:
        while self._waiting and len(self._running) < self._slots:
            job = self._order()[0]
            if job.owner in self._served:
                self._served.clear()
            self._served.add(job.owner)
            self._running[job] = self._waiting.pop(job)
        if not self._running:
            self._served.clear()
        self._changed.notify_all()


class Queues:
    """One `DeviceQueue` for each device, made when it is first asked for."""

    def __init__(self, slots: int = 1) -> None:
        self._slots = slots
        self._lock = Lock()
        self._queues: dict[str, DeviceQueue] = {}

    def of(self, device: str) -> DeviceQueue:
        """The queue of a device such as "cpu" or "cuda:0"; always the same one for the same name."""
        with self._lock:
            if device not in self._queues:
                self._queues[device] = DeviceQueue(self._slots)
            return self._queues[device]

    def cancel_owner(self, owner: str) -> None:
        """Cancel all jobs of an owner on every device."""
        with self._lock:
            queues = list(self._queues.values())
        for queue in queues:
            queue.cancel_owner(owner)
