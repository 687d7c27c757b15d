"""The inside of a box: a process that limits itself, calls one function and writes one answer.

`core.jobs.processes` and `core.jobs.fork_server` start it. What is imported here and by the function's module is
trusted; only then come the limits, and only after them the function sees its argument.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from core.errors import HeadlightError
from core.jobs.confinement import die_with_parent, give_up_processes_and_sockets, write_only_below

SENTENCE_CHARACTERS = 2_000
DETAIL_CHARACTERS = 300
OPEN_FILES = 256
NICENESS = 5


def main(pipe: int) -> None:
    """Read a request from standard input; write a line break once the limits hold, then the answer, as JSON.

    The request names what `boxed` was given. pipe: number of the answer's.
    """
    die_with_parent()
    os.set_inheritable(pipe, False)
    request = json.load(sys.stdin)
    sys.path += [place for place in request["paths"] if place not in sys.path]
    function = _function(request["function"], tuple(request["allowed"]))
    _limit(request["seconds"], request["patience"], request["nbytes"], request["written_nbytes"])
    os.write(pipe, b"\n")
    answer = _encoded(_answer(function, request["argument"]), request["result_nbytes"])
    with open(pipe, "wb") as stream:
        stream.write(answer)
    # Threads that the function left behind are not waited for.
    os._exit(0)


def _function(name: str, allowed: tuple[str, ...]) -> Callable[[Any], object]:
    module, _, attribute = name.partition(":")
    function = getattr(import_module(module), attribute)
    if not isinstance(function, FunctionType) or not function.__module__.startswith(allowed):
        raise TypeError(f"{name} is no function that may be called in a box.")
    return function


def _limit(seconds: float, patience: float, nbytes: int, written_nbytes: int) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    processor = math.ceil(usage.ru_utime + usage.ru_stime + seconds) + 1
    _at_most(resource.RLIMIT_CPU, processor)
    _at_most(resource.RLIMIT_FSIZE, written_nbytes)
    _at_most(resource.RLIMIT_NOFILE, OPEN_FILES)
    _at_most(resource.RLIMIT_CORE, 0)
    with suppress(FileNotFoundError):
        _at_most(resource.RLIMIT_AS, _address_space() + nbytes)
    os.nice(NICENESS)
    os.umask(0o077)
    signal.setitimer(signal.ITIMER_REAL, patience + 1)
    write_only_below(Path.cwd() if written_nbytes else None)
    if not give_up_processes_and_sockets():
        _at_most(resource.RLIMIT_NPROC, 0)


def _at_most(kind: int, limit: int) -> None:
    """Lower a limit for good; where it is lower already, or the system does not know it, it stays."""
    _, hard = resource.getrlimit(kind)
    lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (lower, lower))


def _address_space() -> int:
    """What this process has reserved up to now, in bytes; libraries such as torch reserve much that they never use.

    Raises FileNotFoundError where the system does not tell.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _answer(function: Callable[[Any], object], argument: object) -> dict[str, object]:
    try:
        return {"result": function(argument)}
    except HeadlightError as error:
        return {"sentence": str(error)[:SENTENCE_CHARACTERS]}
    except Exception as error:
        with suppress(MemoryError):
            traceback.print_exc()
        return {"reason": "error", "detail": f"{type(error).__name__}: {error}"[:DETAIL_CHARACTERS]}


def _encoded(answer: dict[str, object], most: int) -> bytes:
    """The answer as JSON; one that has more bytes than most or cannot be written as JSON becomes one that says so."""
    try:
        encoded = json.dumps(answer).encode()
    except MemoryError:
        return json.dumps({"reason": "memory", "detail": ""}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"reason": "result", "detail": str(error)[:DETAIL_CHARACTERS]}).encode()
    if len(encoded) > most:
        return json.dumps({"reason": "result", "detail": f"{len(encoded)} bytes"}).encode()
    return encoded
