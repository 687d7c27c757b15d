"""Box: a process in a session of its own, watched from outside until it ends or breaks a limit."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic

import psutil

from core.jobs.job import Job
from core.jobs.processes import Process

# By the clock, so that a busy machine refuses nobody: imports are trusted, and work is held to the processor's time.
START_SECONDS = 300.0
PATIENCE_SECONDS, PATIENCE = 60.0, 10.0
SECONDS_BETWEEN_CHECKS = 0.05
RESULT_NBYTES = 16 * 2**20
IMPORTS_NBYTES = 2**30
CHATTER_NBYTES = 2 * RESULT_NBYTES
STDERR_CHARACTERS = 2_000
MOST_FILES = 10_000

OnSecond = Callable[[int], None]


@dataclass(frozen=True)
class Limits:
    """seconds: of the processor, once the imports are done. nbytes: of memory beyond what the imports take.

    written_nbytes: the longest file, and about the sum of all that is written below the folder.
    """

    seconds: float
    nbytes: int
    written_nbytes: int
    folder: Path

    @property
    def patience(self) -> float:
        """Seconds by the clock after which a process is ended that may be waiting for ever."""
        return PATIENCE_SECONDS + PATIENCE * self.seconds


class Box:
    """The process, its two pipes and what came out of them; leaving it kills the process and its children."""

    def __init__(self, start: Callable[[int, int], Process]) -> None:
        """start: starts the process with the ends of the pipes for its standard error and for its answer."""
        self._stderr_end, stderr = os.pipe()
        self._answer_end, answer = os.pipe()
        try:
            self._process = start(stderr, answer)
        except BaseException:
            os.close(self._stderr_end)
            os.close(self._answer_end)
            raise
        finally:
            os.close(stderr)
            os.close(answer)
        self._selector = DefaultSelector()
        for end in (self._answer_end, self._stderr_end):
            os.set_blocking(end, False)
            self._selector.register(end, EVENT_READ)
        self.answer = bytearray()
        self._stderr = b""
        # The signal that ended the process, or 0; only once it was left.
        self.signal = 0

    @property
    def has_begun(self) -> bool:
        """Whether its imports were done and its limits held before it ended."""
        return bool(self.answer)

    def last_lines(self) -> str:
        """The end of what it wrote to its standard error: for the log, as hostile as the file."""
        return self._stderr.decode(errors="replace")[-STDERR_CHARACTERS:]

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: object) -> None:
        self.signal = self._process.end()
        self._read_all()
        self._selector.close()
        os.close(self._answer_end)
        os.close(self._stderr_end)

    def watch(self, limits: Limits, job: Job | None, on_second: OnSecond | None = None) -> str | None:
        """Read until the process ends, and return None, or until a limit is broken, and return the reason.

        on_second: told the whole seconds since the start, each once.
        """
        before = _nbytes_below(limits.folder) if limits.written_nbytes else 0
        start, told = monotonic(), 0
        end, imports = start + START_SECONDS, None
        while not _is_over(self._process.pid):
            if job is not None:
                job.check()
            if on_second is not None and (passed := int(monotonic() - start)) > told:
                told = passed
                on_second(passed)
            self._read_all(SECONDS_BETWEEN_CHECKS)
            if imports is None and self.has_begun:
                end, imports = monotonic() + limits.patience, _processor_seconds(self._process.pid)
            if imports is not None and _processor_seconds(self._process.pid) - imports > limits.seconds:
                return "time"
            if monotonic() > end:
                return "start" if imports is None else "asleep"
            if len(self.answer) > RESULT_NBYTES + 1:
                return "result"
            if reason := _excess(self._process.pid, limits, before):
                return reason
        return None

    def _read_all(self, seconds: float = 0.0) -> None:
        """Read what has come, waiting for it so long at most; once both pipes are closed the end is near."""
        for key, _ in self._selector.select(seconds if self._selector.get_map() else seconds / 25):
            piece = os.read(key.fd, 2**16)
            if not piece:
                self._selector.unregister(key.fd)
            elif key.fd == self._answer_end:
                self.answer += piece
            else:
                self._stderr = (self._stderr + piece)[-4 * STDERR_CHARACTERS :]


def _is_over(pid: int | None) -> bool:
    try:
        return pid is not None and psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _processor_seconds(pid: int | None) -> float:
    """What a process has had of the processor, in all its threads; 0 once it is gone."""
    with suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def _excess(pid: int | None, limits: Limits, before: float) -> str | None:
    """The limit that the system itself does not hold everywhere and that is broken now, if any."""
    if pid is None:
        return None
    try:
        process = psutil.Process(pid)
        if process.memory_info().rss > limits.nbytes + IMPORTS_NBYTES:
            return "memory"
        written = process.io_counters().write_chars if hasattr(process, "io_counters") else 0
    except psutil.Error:
        return None
    # A file that is made longer and mapped is filled without being written to.
    lies = _nbytes_below(limits.folder) - before if limits.written_nbytes else 0
    return "written" if max(written, lies) > limits.written_nbytes + CHATTER_NBYTES else None


def _nbytes_below(folder: Path) -> float:
    """What the files below a folder take on the disk; infinite for more files than a box has use for."""
    total = count = 0
    for place, _, names in os.walk(folder):
        count += len(names)
        if count > MOST_FILES:
            return math.inf
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total
