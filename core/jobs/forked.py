"""Forked: the process of a box as a fork of one that has imported what boxes need, so that it starts in a moment.

Importing torch and transformers takes seconds of a core, for each box anew; the fork server (`core.jobs.fork_server`)
does it once, has one thread, and never sees a file of an upload: what is hostile is read by its forks, each with limits
of its own. It starts with the first box, has an empty environment, and ends with this process or after ten minutes
without work. Only on Linux: elsewhere libraries do not bear being forked.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from array import array
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic

import psutil

from core.jobs.processes import INTERPRETER, ROOT, Fresh, Order, Start, environment, paths_of_modules

CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from core.jobs.fork_server import main; "
    "main(int(sys.argv[2]), float(sys.argv[3]))"
)
# A fork server keeps some 400 MB.
IDLE_SECONDS = 600.0
# Imports leave nothing behind: what they would keep has no place.
NOWHERE = Path("/nonexistent")
# It may be importing what takes long, while it does not answer; one that is silent for longer hangs.
SILENT_SECONDS = 240.0
LONGEST_ANSWER = 64


class ForkServer:
    """This process's end of the line to a fork server, which is started when it is needed and goes when it is idle."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._lock = Lock()
        self._line: socket.socket | None = None
        self._processes: list[subprocess.Popen[bytes]] = []

    def ask(self, order: bytes, numbers: list[int]) -> None:
        """Send an order with files. Raises OSError where no fork server takes it; never waits for one."""
        with self._lock:
            if self._line is not None:
                try:
                    _send(self._line, order, numbers)
                    return
                except ConnectionError:  # it has gone home, or was killed
                    self._forget()
            self._line = self._started()
            _send(self._line, order, numbers)

    def give_up(self) -> None:
        """Kill a fork server that hangs, and its forks with it; the next order starts another."""
        with self._lock:
            for process in self._processes:
                process.kill()
            self._forget()

    def _forget(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()
        self._processes = [process for process in self._processes if process.poll() is None]

    def _started(self) -> socket.socket:
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                process = subprocess.Popen(
                    [*INTERPRETER, CODE, str(ROOT), str(theirs.fileno()), str(self._idle_seconds)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=environment(NOWHERE),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except BaseException:
                line.close()
                raise
        self._processes.append(process)
        return line


_FORK_SERVER = ForkServer()


class Forked:
    """A fork. Raises OSError where it cannot be started."""

    def __init__(self, order: Order, server: ForkServer = _FORK_SERVER) -> None:
        self._server = server
        self._asked = monotonic()
        self._seen: psutil.Process | None = None
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
        """Its number; None while the fork server has not answered. Raises OSError where that has gone."""
        if self._seen is None:
            with suppress(BlockingIOError):
                self._seen = _process(self._heard(socket.MSG_DONTWAIT))
        return None if self._seen is None else self._seen.pid

    def end(self) -> int:
        """Kill it with its children, and return the signal that ended it, or 0."""
        # The fork server dismisses the fork of a line that is closed, also one that comes to be later.
        with self._line as line:
            if self._seen is None:
                if monotonic() - self._asked > SILENT_SECONDS:
                    self._server.give_up()
                return signal.SIGKILL
            try:
                is_over = self._seen.status() == psutil.STATUS_ZOMBIE
                # Until it is dismissed nobody else can get its number.
                os.killpg(self._seen.pid, signal.SIGKILL)
                if not is_over:
                    return signal.SIGKILL
                line.settimeout(SILENT_SECONDS)
                line.shutdown(socket.SHUT_WR)
                return max(0, -os.waitstatus_to_exitcode(self._heard()))
            except TimeoutError:
                self._server.give_up()
                return 0
            except (OSError, psutil.Error):  # the fork server was killed, and its forks with it
                return signal.SIGKILL

    def _heard(self, flags: int = 0) -> int:
        """The next number that the fork server tells. Raises OSError where it has gone."""
        told = self._line.recv(LONGEST_ANSWER, flags)
        if not told:
            raise ConnectionResetError("the fork server has gone")
        return int(told)


def _send(line: socket.socket, order: bytes, numbers: list[int]) -> None:
    """As socket.send_fds does, which forgets its flags. Raises BlockingIOError where the line is full."""
    files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", numbers))] if numbers else []
    line.sendmsg([order], files, socket.MSG_DONTWAIT)


def _process(number: int) -> psutil.Process:
    try:
        return psutil.Process(number)
    except psutil.NoSuchProcess as error:
        raise ConnectionResetError("the fork server has gone") from error


def prepare(module: str) -> None:
    """Have the module of a function for boxes imported before one is asked for, so that the first starts fast too."""
    if FASTEST is Forked:
        with suppress(OSError):
            _FORK_SERVER.ask(json.dumps({"module": module, "paths": paths_of_modules()}).encode(), [])


FASTEST: Start = Forked if sys.platform == "linux" else Fresh
