"""Job: one run of one browser session, how far it is and whether it should stop."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import monotonic

from core.errors import HeadlightError


class Cancelled(HeadlightError):
    """Raised inside a job that was asked to stop."""


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    `done` of `total` steps are finished and `step` names the current one. `seconds` have passed since the
    job was made; `seconds_left` is an estimate, or None where nothing can be said yet. While a job waits for
    its turn, `step` is "waiting", `done` is 0 and `total` counts the jobs that come before it.
    """

    done: int
    total: int
    step: str
    seconds: float
    seconds_left: float | None


Listener = Callable[[Progress], None]


class Job:
    """A run that tells how far it is and stops when asked to.

    `owner` is the id of the browser session it belongs to and `title` the name a person knows it by.
    `listener` is called in the job's own thread; whatever it raises ends the job, which is how Streamlit
    stops a script. All but `cancel` and `cancelled` is for the job's own thread.
    """

    def __init__(self, owner: str, title: str, listener: Listener | None = None) -> None:
        self.owner = owner
        self.title = title
        self._listener = listener
        self._cancelled = Event()
        self._made_at = monotonic()
        self._pace: _Pace | None = None

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked this job to stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the job to stop at its next check; any thread may ask, and may ask again."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise `Cancelled` if the job was asked to stop."""
        if self.cancelled:
            raise Cancelled(f"“{self.title}” was stopped before it was done; start it again for its result.")

    def advance(self, done: int, total: int, step: str) -> None:
        """Report that `done` of `total` steps are finished and that `step` is next or under way.

        A smaller `done` or another `total` than before starts a new stage, with an estimate of its own.

        Raises `Cancelled` if the job was asked to stop, `ValueError` unless 0 <= done <= total.
        """
        if not 0 <= done <= total:
            raise ValueError(f"Progress must lie between 0 and its total, not at {done} of {total}.")
        now = monotonic()
        if self._pace is None or not self._pace.covers(done, total):
            self._pace = _Pace(done, total, now)
        self._tell(Progress(done, total, step, now - self._made_at, self._pace.seconds_left(done, now)))

    def waiting(self, ahead: int) -> None:
        """Report that the job waits for its turn behind `ahead` others; raises `Cancelled` like `advance`."""
        self._tell(Progress(0, ahead, "waiting", monotonic() - self._made_at, None))

    def _tell(self, progress: Progress) -> None:
        self.check()
        if self._listener is not None:
            self._listener(progress)
        self.check()


@dataclass(frozen=True)
class _Pace:
    """Where and when a stage was first heard of, so that the time before it never enters the estimate."""

    first: int
    total: int
    since: float

    def covers(self, done: int, total: int) -> bool:
        return total == self.total and done >= self.first

    def seconds_left(self, done: int, now: float) -> float | None:
        if done == self.total:
            return 0.0
        if done == self.first:
            return None
        return (now - self.since) / (done - self.first) * (self.total - done)
