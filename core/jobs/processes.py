"""The process of a box, which is either a fresh interpreter or a fork of one that has its imports done already."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
INTERPRETER = (sys.executable, "-I", "-B", "-X", "utf8", "-X", "faulthandler", "-c")
CODE = "import sys; sys.path.insert(0, sys.argv[1]); from core.jobs.inside import main; main(int(sys.argv[2]))"
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True)
class Order:
    """What a process needs to become a box.

    place   the folder that it works in; module: of the function that it will call
    paths   where modules lie
    stdin, stderr, answer  file numbers: of the request, and of the ends of two pipes that it writes to
    """

    place: Path
    module: str
    paths: tuple[str, ...]
    stdin: int
    stderr: int
    answer: int


class Process(Protocol):
    """A process that was started, in a session of its own."""

    @property
    def pid(self) -> int | None:
        """Its number; None while it has none yet. Nobody else gets that number before `end`."""

    def end(self) -> int:
        """Kill it with its children, unless it is over already, and return the signal that ended it, or 0."""


Start = Callable[[Order], Process]


class Fresh:
    """A fresh interpreter. Raises OSError where it cannot be started."""

    def __init__(self, order: Order) -> None:
        self._process = subprocess.Popen(
            [*INTERPRETER, CODE, str(ROOT), str(order.answer)],
            stdin=order.stdin,
            stdout=subprocess.DEVNULL,
            stderr=order.stderr,
            cwd=order.place,
            env=environment(order.place),
            pass_fds=[order.answer],
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def end(self) -> int:
        """Kill it with its children, and return the signal that ended it, or 0."""
        # Before it is waited for: until then nobody else can get its number.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return max(0, -self._process.wait())


def paths_of_modules() -> tuple[str, ...]:
    """Where this process finds modules, for a process that shall find the same ones."""
    return tuple(place for place in sys.path if os.path.isabs(place))


def environment(home: Path) -> dict[str, str]:
    """What Python needs, one thread for each library, no device but the processor, and no way to a hub."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return kept | {
        "HOME": str(home),
        "TMPDIR": str(home),
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
