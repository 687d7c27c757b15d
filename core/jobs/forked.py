"""Forked: the process of a box as a fork of one that has imported what boxes need, so that it starts in a moment.

Importing torch and transformers takes seconds of a core, for each box anew; the fork server (`core.jobs.fork_server`)
does it once, has one thread, and never sees a file of an upload: what is hostile is read by its forks, each with limits
of its own. It starts with the first box, has an empty environment, and ends with this process or after ten minutes
without work. Only on Linux: elsewhere libraries do not bear being forked.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock

from core.jobs.processes import INTERPRETER, ROOT, Fresh, Order, Start, environment, paths_of_modules

CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from core.jobs.fork_server import main; "
    "main(int(sys.argv[2]), float(sys.argv[3]))"
)
# A fork server keeps some 400 MB.
IDLE_SECONDS = 600.0
# Imports leave nothing behind: what they would keep has no place.
NOWHERE = Path("/nonexistent")
# What is killed ends at once, unless the disk under it hangs.
END_SECONDS = 10.0
LONGEST_ANSWER = 64


class ForkServer:
    """This process's end of the line to a fork server, which is started when it is needed and goes when it is idle."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._lock = Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, order: bytes, numbers: list[int]) -> None:
        """Send an order with files. Raises OSError where no fork server takes it."""
        with self._lock:
            if self._line is not None:
                try:
                    socket.send_fds(self._line, [order], numbers)
                    return
                except ConnectionError:  # it has gone home, or was killed
                    self._line.close()
            self._line = self._started()
            socket.send_fds(self._line, [order], numbers)

    def _started(self) -> socket.socket:
        if self._process is not None:
            self._process.wait(END_SECONDS)
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*INTERPRETER, CODE, str(ROOT), str(theirs.fileno()), str(self._idle_seconds)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment(NOWHERE),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return line


_FORK_SERVER = ForkServer()


class Forked:
    """A fork. Raises OSError where it cannot be started."""

    def __init__(self, order: Order, server: ForkServer = _FORK_SERVER) -> None:
        self._pid: int | None = None
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        told = json.dumps({"module": order.module, "paths": order.paths, "place": str(order.place)}).encode()
        try:
            with theirs:
                server.ask(told, [theirs.fileno(), order.stdin, order.stderr, order.answer])
        except BaseException:
            self._line.close()
            raise

    @property
    def pid(self) -> int | None:
        """Its number; None while the fork server has not answered."""
        if self._pid is None:
            with suppress(BlockingIOError):
                self._pid = self._heard(socket.MSG_DONTWAIT)
        return self._pid

    def end(self) -> int:
        """Have it killed with its children, and return the signal that ended it, or 0."""
        with self._line as line, suppress(OSError):
            line.settimeout(END_SECONDS)
            line.shutdown(socket.SHUT_WR)
            if self._pid is None:
                self._pid = self._heard()
            return max(0, -os.waitstatus_to_exitcode(self._heard() or 0))
        # The fork server was killed, and its forks with it.
        return 9

    def _heard(self, flags: int = 0) -> int | None:
        """The next number that the fork server tells. Raises OSError where it has gone."""
        told = self._line.recv(LONGEST_ANSWER, flags)
        if not told:
            raise ConnectionResetError("the fork server has gone")
        return int(told)


def prepare(module: str) -> None:
    """Have the module of a function for boxes imported before one is asked for, so that the first starts fast too."""
    if FASTEST is Forked:
        with suppress(OSError):
            _FORK_SERVER.ask(json.dumps({"module": module, "paths": paths_of_modules()}).encode(), [])


FASTEST: Start = Forked if sys.platform == "linux" else Fresh
