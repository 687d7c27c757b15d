"""boxed: a function run in a process of its own, with limits, for parsers that cannot be trusted with hostile files.

A crash, an endless loop or a huge allocation of a parser ends the box and reaches the server as one sentence.

What holds everywhere (Linux and macOS): processor time, and far longer by the clock, open files, the length of each
file written, the size of the result, no core file, an empty environment, no inherited files, the end of the process
with its children. On Linux also: address space; the sum of what is written; and, where the kernel has seccomp and
Landlock, which need no rights (`unshare` often does, so it is not used): no further process, no socket, no file changed
outside the folder. Without seccomp the user's limit of processes is lowered to none instead, threads included, which
the kernel does not apply to root, and network is open. Windows is refused.

What a box cannot protect from: whoever takes over the parser reads whatever the server's user may read, and may answer
any JSON within its bound, so a result is as untrusted as the file. A box takes one core and nbytes of memory while it
runs, in addition to all other boxes: take a turn of a queue before. Faults of the kernel are out of reach.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from core.errors import HeadlightError
from core.jobs.box import RESULT_NBYTES, Box, Limits, OnSecond
from core.jobs.forked import FASTEST
from core.jobs.job import Job
from core.jobs.processes import Order, Start, paths_of_modules

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
# Libraries wrap the errors of the system in their own, which keep the words only.
WORDS = {
    "memory": ("MemoryError", "allocate memory", "memory allocation of", "bad_alloc", "failed to map segment"),
    "written": ("File too large",),
    "forbidden": ("Permission denied", "Operation not permitted"),
}
DETAIL_CHARACTERS = 300
# What its folder is called in the system's temporary one, which a server that is killed leaves behind.
BOX_PREFIX = "headlight-box-"

_log = logging.getLogger(__name__)


class Unboxed(HeadlightError):
    """A function in a box came to no end of its own; the text is a sentence for those who do not word it themselves.

    reason: "time" (of the processor), "asleep" (little of it in a long time by the clock), "memory", "written" (too
        much), "forbidden" (a process, a socket, a file elsewhere), "crash" (a signal), "exit" (the process ended
        without an answer), "result" (too large, or no JSON), "error" (an exception that is no HeadlightError), or
        "start".
    why: follows a name in a sentence of the caller's: "took longer than 5 seconds of the processor".
    detail: type and text of an exception, at most 300 characters and as hostile as the file; else "".
    """

    def __init__(self, reason: str, why: str, detail: str = "") -> None:
        super().__init__(f"Work in a separate process {why}, so it was given up: try a smaller file, or another one.")
        self.reason = reason
        self.why = why
        self.detail = detail


def boxed(
    function: str,
    argument: object,
    *,
    seconds: float,
    nbytes: int,
    folder: Path | None = None,
    written_nbytes: int = 0,
    job: Job | None = None,
    on_second: OnSecond | None = None,
    allowed: tuple[str, ...] = ("core.",),
    start: Start = FASTEST,
) -> Any:
    """What a function returns for an argument, both as JSON, called in a process of its own with limits.

    function: "package.module:name"; the module is imported before the limits hold, so what it imports at its top costs
        neither seconds nor nbytes, and what the function imports later costs both.
    seconds: of the processor, from when the imports are done: neither other work on the machine nor a suspended process
        makes it fail. What waits is ended after `Limits.patience`, by the clock. nbytes: of address space beyond what
        the imports reserve; a file that is mapped counts as a whole, and each thread counts some 8 MB.
    folder: where the function works and, if written_nbytes > 0, the only folder it may change; None for a fresh one
        that is deleted afterwards. written_nbytes: the longest file, and about the sum of all that is written.
    job: cancelling it kills the process; its listener hears nothing from here.
    on_second: called in this thread with the whole seconds since the start, each once; what it raises ends the box.
    allowed: what the names of modules must begin with. start: how the process comes about.
    The environment inside is empty: what a function needs of HEADLIGHT_… must come with its argument.

    Raises HeadlightError with the sentence of one raised inside, `Unboxed` where there is no result, `Cancelled`, and
    ValueError for a function that is not allowed.
    """
    if NAME.fullmatch(function) is None or not function.partition(":")[0].startswith(allowed):
        raise ValueError(f"{function!r} is no function that may be called in a box.")
    if os.name != "posix":
        raise _broken(Limits(seconds, nbytes, written_nbytes, Path()), "start")
    paths = paths_of_modules()
    request = json.dumps(
        {
            "function": function,
            "argument": argument,
            "allowed": allowed,
            "paths": paths,
            "seconds": seconds,
            "patience": Limits(seconds, nbytes, written_nbytes, Path()).patience,
            "nbytes": nbytes,
            "written_nbytes": written_nbytes,
            "result_nbytes": RESULT_NBYTES,
        }
    )
    with _workplace(folder) as place, TemporaryFile() as stdin:
        limits = Limits(seconds, nbytes, written_nbytes, place)
        stdin.write(request.encode())
        stdin.seek(0)
        try:
            order = partial(Order, place, function.partition(":")[0], paths, stdin.fileno())
            with Box(lambda stderr, answer: start(order(stderr, answer))) as box:
                stopped = box.watch(limits, job, on_second)
        except OSError as error:
            _log.warning("%s could not be run in a box", function, exc_info=error)
            raise _broken(limits, "start") from error
    try:
        return _result(box, stopped, limits)
    except Unboxed as error:
        _log.warning("%s in a box %s: %r; its last lines: %r", function, error.why, error.detail, box.last_lines())
        raise


def _broken(limits: Limits, reason: str, detail: str = "") -> Unboxed:
    why = {
        "time": f"took longer than {limits.seconds:g} second{'' if limits.seconds == 1 else 's'} of the processor",
        "asleep": f"did not end within {limits.patience:,g} seconds, for most of which it waited",
        "memory": f"needed more than {limits.nbytes / 1e6:,.0f} MB of memory",
        "written": f"wrote more than {limits.written_nbytes / 1e6:,.0f} MB",
        "forbidden": "tried to do what it may not",
        "crash": "crashed",
        "exit": "ended without an answer",
        "result": "gave an answer that is too long or makes no sense",
        "error": "failed in a way that nobody foresaw",
        "start": "could not be started",
    }
    return Unboxed(reason, why[reason], detail)


def _result(box: Box, stopped: str | None, limits: Limits) -> Any:
    reason = stopped or _reason_of_end(box)
    if reason is not None:
        raise _broken(limits, reason)
    try:
        answer = json.loads(box.answer)
    except (ValueError, RecursionError) as error:
        raise _broken(limits, "result") from error
    match answer:
        case {"result": result}:
            return result
        case {"sentence": str(sentence)}:
            raise HeadlightError(sentence)
        case {"reason": "error", "detail": str(detail)}:
            raise _broken(limits, _told_by(detail) or "error", detail[:DETAIL_CHARACTERS])
        case {"reason": "memory"}:
            raise _broken(limits, "memory")
    raise _broken(limits, "result")


def _reason_of_end(box: Box) -> str | None:
    """Why a box that nobody stopped has no answer, or None if it has one."""
    if not box.has_begun:
        return "start"
    if box.signal == signal.SIGXCPU:
        return "time"
    if box.signal == signal.SIGALRM:
        return "asleep"
    if box.signal == signal.SIGXFSZ:
        return "written"
    # Nobody but the system kills it here: it does so when memory runs out.
    if box.signal == signal.SIGKILL:
        return "memory"
    if box.signal or not box.answer.strip():
        ended = "crash" if box.signal else "exit"
        return "memory" if _told_by(box.last_lines()) == "memory" else ended
    return None


def _told_by(text: str) -> str | None:
    """The limit that an error's text speaks of; a hostile text can change how a refusal is worded, and nothing else."""
    return next((reason for reason, words in WORDS.items() if any(some in text for some in words)), None)


@contextmanager
def _workplace(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder.resolve()
        return
    with TemporaryDirectory(prefix=BOX_PREFIX, ignore_cleanup_errors=True) as fresh:
        yield Path(fresh)
