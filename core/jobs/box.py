"""Box: a fresh interpreter in a session of its own, watched from outside until it ends or breaks a limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic

import psutil

from core.jobs.job import Job

ROOT = Path(__file__).parents[2]
CODE = "import sys; sys.path.insert(0, sys.argv[1]); from core.jobs.inside import main; main()"
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
START_SECONDS = 60.0
SECONDS_BETWEEN_CHECKS = 0.05
RESULT_NBYTES = 16 * 2**20
IMPORTS_NBYTES = 2**30
CHATTER_NBYTES = 2 * RESULT_NBYTES
STDERR_CHARACTERS = 2_000

OnSecond = Callable[[int], None]


@dataclass(frozen=True)
class Limits:
    """seconds: by the clock, once the imports are done. nbytes: of memory beyond what the imports take."""

    seconds: float
    nbytes: int
    written_nbytes: int


class Box:
    """The process, its two pipes and what came out of them; leaving it kills the process and its children."""

    def __init__(self, place: Path, stdin: int) -> None:
        self._selector = DefaultSelector()
        self._answer_end, pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-X", "utf8", "-X", "faulthandler", "-c", CODE, str(ROOT), str(pipe)],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=place,
                env=_environment(place),
                pass_fds=[pipe],
                start_new_session=True,
            )
        except BaseException:
            os.close(self._answer_end)
            self._selector.close()
            raise
        finally:
            os.close(pipe)
        assert self._process.stderr is not None
        self._stderr_end = self._process.stderr.fileno()
        for end in (self._answer_end, self._stderr_end):
            os.set_blocking(end, False)
            self._selector.register(end, EVENT_READ)
        self.answer = bytearray()
        self._stderr = b""

    @property
    def has_begun(self) -> bool:
        """Whether its imports were done and its limits held before it ended."""
        return bool(self.answer)

    @property
    def signal(self) -> int:
        """The signal that ended the process, or 0; only once it was left."""
        return max(0, -(self._process.returncode or 0))

    def last_lines(self) -> str:
        """The end of what it wrote to its standard error: for the log, as hostile as the file."""
        return self._stderr.decode(errors="replace")[-STDERR_CHARACTERS:]

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: object) -> None:
        # Before it is waited for: until then nobody else can get its number.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._read_all()
        self._selector.close()
        os.close(self._answer_end)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def watch(self, limits: Limits, job: Job | None, on_second: OnSecond | None = None) -> str | None:
        """Read until the process ends, and return None, or until a limit is broken, and return the reason.

        on_second: told the whole seconds since the start, each once.
        """
        process = psutil.Process(self._process.pid)
        start, told = monotonic(), 0
        end, begun = start + START_SECONDS, False
        while process.status() != psutil.STATUS_ZOMBIE:
            if job is not None:
                job.check()
            if on_second is not None and (passed := int(monotonic() - start)) > told:
                told = passed
                on_second(passed)
            self._read_all(SECONDS_BETWEEN_CHECKS)
            if not begun and self.has_begun:
                end, begun = monotonic() + limits.seconds, True
            if monotonic() > end:
                return "time" if begun else "start"
            if len(self.answer) > RESULT_NBYTES + 1:
                return "result"
            if reason := _excess(process, limits):
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


def _excess(process: psutil.Process, limits: Limits) -> str | None:
    """The limit that the system itself does not hold everywhere and that is broken now, if any."""
    try:
        if process.memory_info().rss > limits.nbytes + IMPORTS_NBYTES:
            return "memory"
        written = process.io_counters().write_chars if hasattr(process, "io_counters") else 0
    except psutil.Error:
        return None
    return "written" if written > limits.written_nbytes + CHATTER_NBYTES else None


def _environment(place: Path) -> dict[str, str]:
    """What Python needs, one thread for each library, no device but the processor, and no way to a hub."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return kept | {
        "HOME": str(place),
        "TMPDIR": str(place),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "CUDA_VISIBLE_DEVICES": "",
        # Each arena reserves address space that is never used.
        "MALLOC_ARENA_MAX": "1",
    }
