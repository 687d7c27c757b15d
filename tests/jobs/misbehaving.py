"""Functions for a box, most of which do what a parser with a hole in it might be made to do."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from time import process_time, sleep

from core.errors import HeadlightError

CHATTER = "x" * 1_000


def echo(argument: object) -> object:
    return argument


def surroundings(_: object) -> dict[str, object]:
    descriptors = []
    for number in range(64):
        try:
            os.fstat(number)
            descriptors.append(number)
        except OSError:
            pass
    return {"environment": sorted(os.environ), "folder": os.getcwd(), "open": len(descriptors), "argv": sys.argv[1:]}


def parent(_: object) -> int:
    return os.getppid()


def square_in_a_thread(number: int) -> int:
    squares: list[int] = []
    thread = threading.Thread(target=lambda: squares.append(number**2))
    thread.start()
    thread.join()
    return squares[0]


def chat(lines: int) -> str:
    for _ in range(lines):
        print(CHATTER)
        print(CHATTER, file=sys.stderr)
    os.write(1, b'{"result": "forged"}')
    return "done"


def refuse(sentence: str) -> None:
    raise HeadlightError(sentence)


def fail(text: str) -> None:
    raise ValueError(text)


def loop(_: object) -> None:
    while True:
        pass


def backtrack(length: int) -> bool:
    return re.fullmatch("(a+)+b", "a" * length) is not None


def work_suspended(seconds: float) -> str:
    """Work for so many seconds of the processor, in the middle of which somebody suspends the process."""
    end = process_time() + seconds
    os.kill(os.getpid(), signal.SIGSTOP)
    while process_time() < end:
        pass
    return "done"


def doze(seconds: float) -> str:
    sleep(seconds)
    return "awake"


def allocate(nbytes: int) -> int:
    return len(bytearray(nbytes))


def write(request: list[object]) -> None:
    path, nbytes = request
    with open(str(path), "wb") as file:
        file.truncate(int(str(nbytes)))


def write_many(request: list[int]) -> None:
    number, nbytes = request
    for name in range(number):
        Path(str(name)).write_bytes(b"0" * nbytes)


def map_many(request: list[int]) -> None:
    """Fill files through the memory, without a call that writes."""
    number, nbytes = request
    for name in range(number):
        with open(str(name), "w+b") as file:
            file.truncate(nbytes)
            with mmap.mmap(file.fileno(), nbytes) as mapped:
                mapped[:] = b"0" * nbytes


def fault(_: object) -> None:
    ctypes.string_at(0)


def abort(_: object) -> None:
    os.abort()


def leave(code: int) -> None:
    os._exit(code)


def exit_politely(_: object) -> None:
    sys.exit(0)


def answer_at_length(nbytes: int) -> str:
    return "x" * nbytes


def answer_no_json(_: object) -> object:
    return {1, 2}


def forge(text: str) -> None:
    """Write into the pipe of the answer, as only somebody who took over the process would."""
    os.write(_answers_pipe(), text.encode())
    os._exit(0)


def flood(_: object) -> None:
    while True:
        os.write(_answers_pipe(), b"[" * 2**16)


def multiply(_: object) -> list[str]:
    """A fork bomb of three generations, one bang on each way in."""
    refused = []
    for way in (os.fork, lambda: subprocess.Popen(["sleep", "60"]), lambda: os.execv("/bin/true", ["true"])):
        try:
            if way() == 0:
                os.fork()
        except OSError as error:
            refused.append(type(error).__name__)
    return refused


def reach(victim: int) -> list[str]:
    """Try to touch another process, and to leave; nothing changes where it succeeds. What is left out was refused."""
    ways = {
        "kill": lambda: os.kill(victim, 0),
        "signal by a pipe": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, victim),
        "limits": lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, victim, os.getpriority(os.PRIO_PROCESS, victim)),
        "cores": lambda: os.sched_setaffinity(victim, os.sched_getaffinity(victim)),
        "socket": socket.socket,
        "session": os.setsid,
        "outlive": lambda: _outlive(),
        "write uncounted": lambda: os.splice(0, os.pipe()[1], 1),
        "write elsewhere": lambda: Path("/tmp/headlight-escaped").touch(),
    }
    done = []
    for name, way in ways.items():
        try:
            way()
        except PermissionError:
            continue
        done.append(name)
    return done


def look_after_itself(_: object) -> list[int]:
    """What libraries do to their own process."""
    os.kill(os.getpid(), 0)
    soft, hard = resource.prlimit(0, resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    os.sched_setaffinity(os.getpid(), os.sched_getaffinity(0))
    return [soft - resource.getrlimit(resource.RLIMIT_NOFILE)[0]]


def _outlive() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(1, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _answers_pipe() -> int:
    return next(number for number in range(3, 64) if Path(f"/proc/self/fd/{number}").is_fifo())
