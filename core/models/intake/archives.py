"""Unpacking an archive into an upload's folder: all of it, checked, or nothing."""

from __future__ import annotations

import lzma
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from core.errors import HeadlightError
from core.jobs import Job
from core.models.intake.limits import Limits
from core.models.intake.names import RefusedName, safe_path
from core.models.intake.place import Intake
from core.models.intake.streams import Meter, Unfit, compression_of, raw_chunks, unpacked
from core.models.intake.tars import is_tar, tar_entries
from core.models.intake.zips import STARTS, is_checkpoint, zip_chunks, zip_entries
from core.models.quoting import shown

SECONDS_BETWEEN_REPORTS = 0.1
# What macOS puts beside the files of a folder.
_LEFT_OUT = frozenset({"__MACOSX", ".DS_Store"})
# What the decompressors and the disk raise.
_DAMAGED = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
_START = 1_024


@dataclass(frozen=True)
class _Entry:
    name: str
    is_folder: bool
    chunks: Iterator[bytes]


def is_archive(file: Path) -> bool:
    """Whether `unpack` is meant for a file, told by its first bytes: a zip, a tar, or something gzip, bzip2 or xz made.

    A checkpoint of PyTorch, which is a zip too, is none. Raises HeadlightError where the file cannot be read.
    """
    try:
        with file.open("rb") as opened:
            return _kind(opened.read(_START)) is not None
    except OSError as error:
        raise HeadlightError(
            f"“{shown(file.name)}” cannot be read ({error.strerror or error}): upload it again."
        ) from error


def unpack(file: Path, into: Intake, job: Job | None = None) -> tuple[Path, ...]:
    """Put the files of a zip or tar (plain, gzip, bzip2 or xz) into an upload's folder, and return where they are.

    What the file is says its content, not its name. A folder that holds all the rest is left out of the paths, and so
    is what macOS adds; empty folders and archives inside the archive stay as they are: not made, not unpacked. No
    owner, no right and no time is taken over.
    job: told how many of the archive's bytes are done; its `Cancelled` ends the unpacking between two pieces.
    Raises HeadlightError, one sentence, for anything but plain files with safe names inside the bounds of `into`, and
    for an archive that is damaged, encrypted or contradicts itself; the upload is then as it was before.
    """
    held: list[tuple[PurePosixPath, Path]] = []
    try:
        with file.open("rb") as opened:
            for entry in _entries(opened, into.bounds, _Report(job, file)):
                name = entry.name.removeprefix("./").removesuffix("/")
                if entry.is_folder and name in ("", "."):  # the folder that was packed
                    continue
                path = safe_path(name, into.bounds)
                if not entry.is_folder and not _is_left_out(path):
                    held.append((path, into.hold(entry.chunks, job)))
        if not held:
            raise Unfit("it holds no files")
        return into.settle(_without_top_folder(held))
    except RefusedName as error:
        raise HeadlightError(
            f"“{shown(file.name)}” cannot be unpacked, because the name of “{shown(error.raw)}” in it {error.why}: "
            "rename that and pack it again."
        ) from error
    except Unfit as error:
        raise HeadlightError(f"“{shown(file.name)}” cannot be unpacked, because {error}: pack it again.") from error
    except _DAMAGED as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise HeadlightError(f"“{shown(file.name)}” cannot be unpacked, because {reason}: pack it again.") from error
    finally:
        into.discard(part for _, part in held)


def _kind(start: bytes) -> str | None:
    """zip, tar, or the compression of what ought to be a tar; None for all else."""
    if start.startswith(STARTS):
        return None if is_checkpoint(start) else "zip"
    return "tar" if is_tar(start) else compression_of(start)


def _entries(opened: BinaryIO, bounds: Limits, report: _Report) -> Iterator[_Entry]:
    start = opened.read(_START)
    kind = _kind(start)
    meter = Meter(bounds, report.read)
    if is_checkpoint(start):
        raise HeadlightError(
            f"“{report.name}” is a checkpoint of PyTorch and no archive of files: upload it as it is, as a .pt file."
        )
    if kind is None:
        raise Unfit("it is neither a zip nor a tar")
    if kind == "zip":
        for listed in zip_entries(opened, bounds):
            yield _Entry(listed.name, listed.is_folder, zip_chunks(opened, listed, meter))
        return
    opened.seek(0)
    raw = raw_chunks(opened, report.total, meter)
    stream = raw if kind == "tar" else unpacked(raw, kind, meter)
    for count, entry in enumerate(tar_entries(stream)):
        if count >= bounds.entries:
            raise Unfit(f"it holds more than {bounds.entries:,} files and folders")
        yield _Entry(entry.name, entry.is_folder, entry.chunks)


def _is_left_out(path: PurePosixPath) -> bool:
    return not _LEFT_OUT.isdisjoint(path.parts) or path.name.startswith("._")


def _without_top_folder(held: list[tuple[PurePosixPath, Path]]) -> list[tuple[PurePosixPath, Path]]:
    """The same files, up by one folder where all of them lie in it."""
    tops = {path.parts[0] for path, _ in held}
    if len(tops) > 1 or any(len(path.parts) == 1 for path, _ in held):
        return held
    return [(PurePosixPath(*path.parts[1:]), part) for path, part in held]


class _Report:
    """Tells a job how much of an archive is read, not more often than a person can read, and lets it stop us."""

    def __init__(self, job: Job | None, file: Path) -> None:
        self._job = job
        self._told_at = 0.0
        self.name = shown(file.name)
        self.total = file.stat().st_size

    def read(self, nbytes: int) -> None:
        """So many bytes have been read from the archive's beginning."""
        if self._job is None:
            return
        self._job.check()
        if time.monotonic() - self._told_at >= SECONDS_BETWEEN_REPORTS or nbytes == self.total:
            done = min(nbytes, self.total)
            step = f"unpacking {self.name}: {done / 1e6:,.1f} of {self.total / 1e6:,.1f} MB"
            self._job.advance(done, self.total, step)
            self._told_at = time.monotonic()
