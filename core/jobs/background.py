"""Background: long work in a thread of its own, in slices, so that others get their turns on the device in between."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from threading import Event, Thread
from time import monotonic
from typing import Generic, TypeVar

from core.errors import HeadlightError
from core.jobs.job import Cancelled, Job
from core.jobs.queue import DeviceQueue

T = TypeVar("T")
S = TypeVar("S")

SECONDS_A_SLICE = 0.25
NO_MEMORY = "There was not enough memory: choose a smaller network or a smaller batch, or try again later."
UNEXPECTED = "An error that nobody foresaw ended this run; what happened is in the log of the server."

_log = logging.getLogger(__name__)


class Background(Generic[T]):
    """Draws the steps of an iterator in a daemon thread, each slice of a quarter second inside a turn of the queue.

    listener hears each step, in that thread. afterwards: more steps, which nobody hears of, for when the others have
    ended or were stopped; there are none after an error or once the job is cancelled.
    `state` is "waiting" (for the device), "running", "done", "stopped" or "failed"; `error` says in one sentence why
    a run failed. Any thread may read both, and may stop or cancel.
    """

    def __init__(
        self,
        job: Job,
        steps: Iterator[T],
        queue: DeviceQueue,
        listener: Callable[[T], object],
        afterwards: Iterable[object] = (),
    ) -> None:
        self._job = job
        self._queue = queue
        self._steps = steps
        self._listener = listener
        self._afterwards = afterwards
        self._stop = Event()
        self._thread = Thread(target=self._run, name=job.title, daemon=True)
        self.state = "waiting"
        self.error = ""

    def start(self) -> Background[T]:
        """Begin; to be called once."""
        self._thread.start()
        return self

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "stopped", "failed")

    @property
    def stopping(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._stop.is_set() or self._job.cancelled

    def stop(self) -> None:
        """End after the current step; what comes afterwards still runs."""
        self._stop.set()

    def cancel(self) -> None:
        """End after the current step, and leave the rest: nobody waits for it any more."""
        self._job.cancel()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended, or for so many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._draw(self._steps, self._listener, self._stop.is_set)
            was_stopped = self._stop.is_set()
            afterwards: Iterator[object] = iter(self._afterwards)
            self._draw(afterwards, lambda step: None, lambda: False)
            self.state = "stopped" if was_stopped else "done"
        except Cancelled:
            self.state = "stopped"
        except Exception as error:
            self.error, self.state = sentence_of(error, self._job.title), "failed"
        finally:
            # Generators hold the network, which must not live as long as the one who looks at the result.
            self._steps, self._afterwards = iter(()), ()

    def _draw(self, steps: Iterator[S], listener: Callable[[S], object], stopped: Callable[[], bool]) -> None:
        more = True
        while more and not stopped():
            self.state = "waiting"
            with self._queue.turn(self._job):
                self.state = "running"
                more = self._slice(steps, listener, stopped)

    def _slice(self, steps: Iterator[S], listener: Callable[[S], object], stopped: Callable[[], bool]) -> bool:
        """Draw steps for a quarter of a second, at least one; whether there may be more."""
        end = monotonic() + SECONDS_A_SLICE
        for step in steps:
            listener(step)
            self._job.check()
            if stopped() or monotonic() >= end:
                return True
        return False


def sentence_of(error: Exception, title: str) -> str:
    """What an error of long work tells those who wait for it; one that nobody foresaw goes into the log as well.

    title: of the work, for the log.
    """
    if isinstance(error, HeadlightError):
        return str(error)
    if _is_out_of_memory(error):
        return NO_MEMORY
    _log.error("“%s” failed", title, exc_info=error)
    return UNEXPECTED


def _is_out_of_memory(error: Exception) -> bool:
    """Also torch's errors, which this package does not import."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"MemoryError", "OutOfMemoryError"}) or "allocate memory" in str(error)
