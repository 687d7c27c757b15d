"""The inside of the fork server: it imports the modules of boxes, forks one for each order, and tells how each ended.

It has one thread, so that its forks inherit no lock that somebody holds. Its line ends with the process that started
it; then it kills what still runs, and goes.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from selectors import EVENT_READ, DefaultSelector

from core.jobs.inside import main as become_box

LONGEST_ORDER = 1 << 20
# Modules that are trusted to start nothing and to change nothing when they are imported.
OWN = "core."
ANSWER = 3
FILES = 4


def main(line: int, idle_seconds: float) -> None:
    """Serve the orders that come over the line of this number until it ends, or none has come for so long."""
    with socket.socket(fileno=line) as orders:
        orders.set_inheritable(False)
        _Nursery(orders).serve(idle_seconds)
    os._exit(0)


class _Nursery:
    """The forks that nobody has dismissed yet, each with the line over which its number and its end are told."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._forks: dict[socket.socket, int] = {}
        self._selector = DefaultSelector()
        self._selector.register(orders, EVENT_READ)

    def serve(self, idle_seconds: float) -> None:
        """Fork and dismiss until the line has ended and no fork is left; both happen if the server is killed."""
        while self._selector.get_map():
            ready = self._selector.select(idle_seconds)
            if not ready and not self._forks:
                # What was sent before is still answered; whoever sends later finds the line closed, and starts anew.
                self._orders.shutdown(socket.SHUT_RD)
            for key, _ in ready:
                if key.fileobj is self._orders:
                    self._take()
                else:
                    self._dismiss(key.fileobj)  # type: ignore[arg-type]

    def _take(self) -> None:
        """Take one order, which asks for no fork if no files come with it, or the end of the line."""
        told, numbers, _, _ = socket.recv_fds(self._orders, LONGEST_ORDER, FILES)
        if not told:
            self._selector.unregister(self._orders)
            return
        order = json.loads(told)
        _prepare(order["module"], order["paths"])
        if numbers:
            self._fork(order["place"], socket.socket(fileno=numbers[0]), numbers[1:])

    def _fork(self, place: str, line: socket.socket, numbers: list[int]) -> None:
        try:
            fork = os.fork()
        except OSError:  # too many processes: the line that closes says so
            line.close()
        else:
            if fork == 0:
                _be_fork(place, numbers, self._close)
            self._forks[line] = fork
            self._selector.register(line, EVENT_READ)
            with suppress(OSError):
                line.send(str(fork).encode())
        for number in numbers:
            os.close(number)

    def _dismiss(self, line: socket.socket) -> None:
        """Kill a fork with its children, tell how it ended, and forget it."""
        fork = self._forks.pop(line)
        # Before it has a session of its own it has no group either.
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                kill(fork, signal.SIGKILL)
        _, status = os.waitpid(fork, 0)
        self._selector.unregister(line)
        with line, suppress(OSError):
            line.send(str(status).encode())

    def _close(self) -> None:
        """What a fork must not keep."""
        self._selector.close()
        for line in (self._orders, *self._forks):
            line.close()


def _prepare(module: str, paths: list[str]) -> None:
    """Import a module for all forks to come; one that cannot be imported fails in its box, and is told there."""
    sys.path += [place for place in paths if place not in sys.path]
    if module.startswith(OWN) and module not in sys.modules:
        # Whatever it raises is raised once more in the box, and told there.
        with suppress(BaseException):
            import_module(module)
        # What is never collected is never copied.
        gc.collect()
        gc.freeze()


def _be_fork(place: str, numbers: list[int], close: Callable[[], None]) -> None:
    """Become the box of an order, and never return."""
    try:
        os.setsid()
        close()
        stdin, stderr, answer = numbers
        os.dup2(stdin, 0)
        os.dup2(stderr, 2)
        os.dup2(answer, ANSWER)
        os.closerange(ANSWER + 1, max(os.sysconf("SC_OPEN_MAX"), 1024))
        os.chdir(place)
        os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = place
        become_box(ANSWER)
    except BaseException:
        # For the log of whoever asked for it.
        traceback.print_exc()
    finally:
        # An exception must not bring a second fork server about.
        os._exit(1)
