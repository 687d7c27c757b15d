"""From the memory of an uploader into a folder on the disk: in pieces, with archives unpacked, or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from core.errors import HeadlightError
from core.jobs import Job
from core.models.intake import Intake, is_archive, safe_path, unpack
from core.models.quoting import shown

CHUNK = 1 << 22
SECONDS_BETWEEN_REPORTS = 0.1


class Upload(Protocol):
    """A file as an uploader holds it; of a folder, its name is a path that begins with the folder's own."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def read(self, size: int, /) -> bytes: ...

    def seek(self, offset: int, /) -> int: ...


@dataclass(frozen=True)
class Received:
    """An upload on the disk.

    refused   names that were not let in, each with its size and why
    left_out  how many hidden files were not taken
    """

    intake: Intake
    refused: tuple[tuple[str, int, str], ...]
    left_out: int


def received(files: Sequence[Upload], job: Job) -> Received:
    """Put files into a folder of their own, archives unpacked.

    Files with names that are refused are left out and told of, hidden ones are left out.
    Raises HeadlightError where the rest cannot be kept, and `Cancelled`; nothing is left on the disk then.
    """
    named, refused, hidden = _sorted(files)
    intake = Intake()
    try:
        report = _Report(job, sum(file.size for _, file in named))
        for path, file in named:
            file.seek(0)
            intake.add(path, report.chunks(file, path), job)
        return Received(_unpacked(intake, job), refused, hidden)
    except BaseException:  # whatever ends it, also a browser that leaves
        intake.close()
        raise


def _sorted(files: Sequence[Upload]) -> tuple[list[tuple[str, Upload]], tuple[tuple[str, int, str], ...], int]:
    """Files with the paths that they get; then those whose names are refused; and how many are hidden."""
    named: list[tuple[str, Upload]] = []
    refused: list[tuple[str, int, str]] = []
    hidden = 0
    for file in files:
        try:
            path = safe_path(file.name)
        except HeadlightError as error:
            refused.append((shown(file.name), file.size, str(error)))
            continue
        if any(part.startswith(".") or part == "__MACOSX" for part in path.parts):
            hidden += 1
        else:
            named.append((path.as_posix(), file))
    if not named:
        reason = refused[0][2] if refused else "All files of this upload are hidden ones: choose those of a model."
        raise HeadlightError(reason)
    return _without_top_folder(named), tuple(refused), hidden


def _without_top_folder(named: list[tuple[str, Upload]]) -> list[tuple[str, Upload]]:
    """Paths without the folder that all files lie in."""
    paths = [PurePosixPath(path) for path, _ in named]
    if len({path.parts[0] for path in paths}) > 1 or any(len(path.parts) == 1 for path in paths):
        return named
    return [(PurePosixPath(*path.parts[1:]).as_posix(), file) for path, (_, file) in zip(paths, named, strict=True)]


def _unpacked(intake: Intake, job: Job) -> Intake:
    """The same files with those that are archives unpacked, in a folder of their own; the first one is closed then."""
    if not any(is_archive(file) for file in intake.files):
        return intake
    whole = Intake()
    try:
        for file in intake.files:
            if is_archive(file):
                unpack(file, whole, job)
            else:
                whole.add(file.relative_to(intake.folder).as_posix(), _chunks_of(file), job)
    except BaseException:
        whole.close()
        raise
    intake.close()
    return whole


def _chunks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


class _Report:
    """Tells a job how many bytes of all have been kept, not more often than a person can read."""

    def __init__(self, job: Job, total: int) -> None:
        self._job = job
        self._total = total
        self._done = 0
        self._told_at = 0.0

    def chunks(self, file: Upload, path: str) -> Iterator[bytes]:
        """The pieces of a file, told of as they are taken."""
        while chunk := file.read(CHUNK):
            yield chunk
            self._done = min(self._done + len(chunk), self._total)
            if time.monotonic() - self._told_at >= SECONDS_BETWEEN_REPORTS or self._done == self._total:
                told = f"keeping {shown(path)}: {self._done / 1e6:,.1f} of {self._total / 1e6:,.1f} MB"
                self._job.advance(self._done, self._total, told)
                self._told_at = time.monotonic()
