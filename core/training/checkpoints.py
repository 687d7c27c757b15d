"""Checkpoints of a run: each complete or not there at all, whatever kills the process or fills the disk."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import torch
from safetensors import SafetensorError

from core.errors import HeadlightError

KEPT = 2
_NAME = re.compile(r"step-(\d+)\.pt")
_QUOTED = re.compile(r"\(os error (\d+)\)")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def save(state: Mapping[str, Any], folder: Path) -> Path:
    """Write a trainer's state as step-NNNNNNNN.pt, and remove all but the newest two once it is there.

    Raises `HeadlightError` when the disk is full; the checkpoints before it are kept.
    """
    path = folder / f"step-{state['step']:08d}.pt"
    with explained_when_full(path):
        folder.mkdir(parents=True, exist_ok=True)
    save_atomically(state, path)
    for old in _checkpoints(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def save_atomically(state: Mapping[str, Any], path: Path) -> None:
    """Write plain values and tensors to a file, as `write_atomically` does."""
    for left in path.parent.glob(".*.pt.part"):
        left.unlink(missing_ok=True)
    write_atomically(path, lambda file: torch.save(dict(state), file))


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file by a function of it: the old file or the whole new one is there at every moment.

    Raises `HeadlightError` when the disk is full; the old file is kept.
    """
    # In the same folder, because only within one file system a rename replaces a file at once.
    part = path.with_name(f".{path.name}.part")
    try:
        with explained_when_full(path):
            with part.open("wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def latest(folder: Path) -> Path | None:
    """The checkpoint with the most steps in a folder, if there is one."""
    found = _checkpoints(folder)
    return found[-1] if found else None


def load(path: Path) -> dict[str, Any]:
    """The state in a checkpoint, on the CPU; nothing in the file is executed.

    Raises `HeadlightError` where the file is none of ours or damaged.
    """
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise HeadlightError(f"{path} cannot be read as a checkpoint; delete it to go on from an older one.") from error


@contextmanager
def explained_when_full(path: Path) -> Iterator[None]:
    """Turn the error of a full disk, or of a used-up quota, inside the block into one sentence."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        if not _is_full(error):
            raise
        raise HeadlightError(
            f"{path.name} could not be written because the disk of {path.parent} is full; free some space and resume"
            " from the last checkpoint, which is intact."
        ) from error


def _is_full(error: BaseException | None) -> bool:
    """Whether a full disk is what an error comes from.

    torch hides the system's own error behind one of its own, and safetensors only quotes its number.
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        quoted = _QUOTED.search(str(error)) if isinstance(error, SafetensorError) else None
        if quoted and int(quoted[1]) in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def _checkpoints(folder: Path) -> list[Path]:
    """All complete checkpoints, fewest steps first."""
    found = [path for path in folder.glob("step-*.pt") if _NAME.fullmatch(path.name)]
    return sorted(found, key=lambda path: int(path.stem.removeprefix("step-")))


def _sync_folder(folder: Path) -> None:
    """Have the rename itself reach the disk, where the system lets a folder be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
