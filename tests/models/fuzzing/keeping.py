"""What holds for every reader, whatever it is given: an answer or one sentence, soon, and nothing done on the way."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import HeadlightError

MOST_SECONDS = 5.0
MOST_CHARACTERS = 600
# What an interpreter says of itself before it does what no reader may do.
FORBIDDEN = (
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect", "socket.bind",
    "pickle.find_class", "shutil.unpack_archive", "ctypes.dlopen", "webbrowser.open", "os.chmod", "os.chown",
)  # fmt: skip
# Where the first arguments of what changes a disk are paths.
CHANGING = {
    "os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
    "shutil.rmtree": 1, "shutil.move": 2, "shutil.copyfile": 2,
}  # fmt: skip
NOWHERE = "/dev/null"


class BrokenPromise(AssertionError):
    """A reader did what it must never do."""


class Watch:
    """Listens to the interpreter while a reader runs; a hook cannot be taken off again, so it is made once."""

    def __init__(self) -> None:
        self._allowed: tuple[str, ...] = ()
        self._closed, self._thread = False, 0
        self.broken: list[str] = []
        sys.addaudithook(self._hear)

    @contextmanager
    def of(self, *folders: Path) -> Iterator[None]:
        """In the block, this thread may change nothing but what lies in these folders, and run no program."""
        self.broken, self._thread = [], threading.get_ident()
        # What others have left behind may delete its files when it is collected.
        gc.disable()
        self._allowed = tuple(map(str, folders))
        try:
            yield
        finally:
            self._allowed = ()
            gc.enable()
        if self.broken:
            raise BrokenPromise(self.broken[0])

    def close(self) -> None:
        """Listen no more."""
        self._closed = True

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._closed or not self._allowed or threading.get_ident() != self._thread:
            return
        if event in FORBIDDEN:
            self.broken.append(f"{event} {arguments!r}")
        elif event == "open" and _writes(*arguments[1:3]):
            self._require(event, arguments[:1])
        elif event in CHANGING and not (event == "os.mkdir" and os.path.isdir(arguments[0])):
            self._require(event, arguments[: CHANGING[event]])

    def _require(self, event: str, paths: Iterable[Any]) -> None:
        for path in paths:
            if isinstance(path, str | bytes | Path) and not _inside(path, self._allowed):
                self.broken.append(f"{event} {path!r}")


def _writes(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(sign in mode for sign in "wax+")
    return isinstance(flags, int) and bool(flags & 3)


def _inside(path: str | bytes | Path, allowed: tuple[str, ...]) -> bool:
    text = os.path.normpath(os.fsdecode(path))
    # What is imported late is kept compiled; a relative path begins at a folder that was opened by its name before.
    is_relative = text != ".." and not text.startswith(("/", "../"))
    below = tuple(f"{folder}/" for folder in allowed)
    return is_relative or text in (NOWHERE, *allowed) or "__pycache__" in text or text.startswith(below)


def check_sentence(message: str) -> None:
    """What a user reads must be one short line that ends, without anything unseen."""
    if not (message.endswith(".") and message.isprintable() and len(message) < MOST_CHARACTERS):
        raise BrokenPromise(f"no sentence: {message!r}")
    if "more memory than there is" in message:
        raise BrokenPromise("it ran out of memory")


def same(first: object, second: object) -> None:
    """What must be equal."""
    if first != second:
        raise BrokenPromise(f"{first!r} is not {second!r}"[:2_000])


@contextmanager
def refusing() -> Iterator[None]:
    """The block may end with a HeadlightError, whose sentence is checked, and with no other error."""
    try:
        yield
    except HeadlightError as error:
        check_sentence(str(error))


@contextmanager
def soon() -> Iterator[None]:
    """The block must take little of the processor's time."""
    began = time.thread_time()
    yield
    if (took := time.thread_time() - began) > MOST_SECONDS:
        raise BrokenPromise(f"it took {took:.1f} seconds")
