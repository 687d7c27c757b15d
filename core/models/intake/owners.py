"""The folders of uploads on the server's disk: where they lie, whose they are, and which nobody owns any more."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from core.errors import HeadlightError
from core.jobs.boxed import BOX_PREFIX

ROOT_VARIABLE = "HEADLIGHT_UPLOADS"
PREFIX = "upload-"
LONGEST_BOX_SECONDS = 24 * 3_600.0
_OWNER = "owner.json"
_LONGEST_OWNER = 1_000
# Start times are told in hundredths of a second, from a clock that may have been set meanwhile.
_SECONDS_APART = 1.0


def intake_root() -> Path:
    """The folder that holds the folders of uploads: HEADLIGHT_UPLOADS, or one in the system's temporary folder.

    Made with access for this user alone where it is not there. Raises HeadlightError where it is a link, is no folder,
    belongs to somebody else or may be written by others, and where it cannot be made.
    """
    chosen = os.environ.get(ROOT_VARIABLE, "").strip()
    root = Path(chosen).expanduser().absolute() if chosen else Path(tempfile.gettempdir()) / "headlight-uploads"
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            root.mkdir(0o700)
        if why := _why_not_ours(root.lstat()):
            raise HeadlightError(
                f"Uploads are not kept in {root}, which {why}: name another folder in {ROOT_VARIABLE}."
            )
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise HeadlightError(
            f"Uploads cannot be kept in {root} ({reason}): name another folder in {ROOT_VARIABLE}."
        ) from error
    return root


def mark_as_ours(folder: Path) -> None:
    """Write down beside an upload which process of which machine it belongs to, for `sweep`."""
    owner = {"host": platform.node(), "pid": os.getpid(), "started": psutil.Process().create_time()}
    (folder / _OWNER).write_text(json.dumps(owner), encoding="utf-8")


def sweep() -> int:
    """Delete the uploads of servers that have ended without doing so, and return how many there were.

    So are folders of boxes that nobody can still be working in. Nothing else is touched: no link, no folder of another
    user or machine, none that does not say whose it is. Raises HeadlightError as `intake_root` does.
    """
    root = intake_root()
    gone = [folder for folder in root.glob(f"{PREFIX}*") if _is_left_behind(folder)]
    boxes = Path(tempfile.gettempdir()).glob(f"{BOX_PREFIX}*")
    gone += [folder for folder in boxes if _is_old(folder)]
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return sum(not folder.exists() for folder in gone)


def _why_not_ours(found: os.stat_result) -> str | None:
    if stat.S_ISLNK(found.st_mode):
        return "is a link"
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    if os.name == "posix" and found.st_uid != os.geteuid():
        return "belongs to somebody else"
    if os.name == "posix" and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write to"
    return None


def _is_left_behind(folder: Path) -> bool:
    owner = folder / _OWNER
    try:
        if _why_not_ours(folder.lstat()) or not stat.S_ISREG(owner.lstat().st_mode):
            return False
        with owner.open("rb") as file:
            told = json.loads(file.read(_LONGEST_OWNER))
        return told["host"] == platform.node() and not _runs(int(told["pid"]), float(told["started"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return False


def _is_old(folder: Path) -> bool:
    try:
        return not _why_not_ours(found := folder.lstat()) and time.time() - found.st_mtime > LONGEST_BOX_SECONDS
    except OSError:
        return False


def _runs(pid: int, started: float) -> bool:
    """Whether the process of this number is still the one that started then; a number is used again in time."""
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < _SECONDS_APART
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
