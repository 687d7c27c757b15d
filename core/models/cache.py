"""Where Headlight keeps what it makes from model files, and how several runs share such a folder."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job

SECONDS_BETWEEN_TRIES = 0.2


def cache_folder() -> Path:
    """HEADLIGHT_CACHE, or the folder for such things of this user's system; it need not exist yet."""
    if chosen := os.environ.get("HEADLIGHT_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "headlight"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "headlight"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headlight"


@contextmanager
def alone(lock: Path, job: Job | None) -> Iterator[None]:
    """Hold a lock file against all threads and processes of this machine; a waiting job can be cancelled."""
    from filelock import FileLock, Timeout

    lock.parent.mkdir(parents=True, exist_ok=True)
    # An object of this block's own: one that threads shared would let them all in.
    held = FileLock(lock)
    while True:
        try:
            held.acquire(timeout=SECONDS_BETWEEN_TRIES)
            break
        except Timeout:
            if job is not None:
                job.waiting(1)
    try:
        yield
    finally:
        held.release()


def made_once(folder: Path, is_whole: Callable[[Path], bool], make: Callable[[Path], None], job: Job | None) -> Path:
    """The folder, filled by `make` if it is not there or not whole; nobody ever sees it half-filled.

    Raises HeadlightError, one sentence, where the disk cannot take it, and whatever `make` raises.
    """
    try:
        with alone(folder.with_name(f"{folder.name}.lock"), job):
            if not is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as unfinished:
                    filled = Path(unfinished) / "filled"
                    filled.mkdir()
                    make(filled)
                    filled.rename(folder)
    except OSError as error:
        raise HeadlightError(
            f"{folder.parent} cannot be written ({error.strerror or error}): make room there, or name another folder "
            "in HEADLIGHT_CACHE."
        ) from error
    return folder
