"""The folder that is being filled: out of sight until all of it is there, and gone if anything fails."""

from __future__ import annotations

import json
import math
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import boxed
from core.models.folders import roots
from core.models.intake import Intake
from core.models.quoting import shown

CHUNK_BYTES = 1 << 20
SPARE_BYTES = 64 << 20
_MEGABYTE = 1_000_000
Told = tuple[list[str], list[str]]


class Filling:
    """Puts files into a folder, within a bound for all that is written; links cost nothing of it.

    folder  where the files come to lie; `below` gives another for a folder inside it, with the same bound
    notes   sentences for the load report; assumed: what was guessed of the network
    """

    def __init__(self, folder: Path, workplace: Path, room: list[int], told: Told, job: Job | None) -> None:
        self.folder, self.job = folder, job
        self.notes, self.assumed = told
        self._workplace, self._room = workplace, room

    @property
    def room(self) -> int:
        """Bytes that may still be written."""
        return self._room[0]

    def below(self, name: str) -> Filling:
        """The filling of a folder inside this one."""
        (self.folder / name).mkdir(0o700)
        return Filling(self.folder / name, self._workplace, self._room, (self.notes, self.assumed), self.job)

    def write(self, name: str, chunks: Iterable[bytes]) -> Path:
        """Write a file. Raises HeadlightError beyond the bound and for a full disk, and `Cancelled`."""
        target = self.folder / name
        with target.open("xb") as file:
            for chunk in chunks:
                self.check()
                self.require(len(chunk))
                file.write(chunk)
                self._room[0] -= len(chunk)
        return target

    def write_json(self, name: str, value: Any) -> Path:
        """Write a value as JSON."""
        return self.write(name, [(json.dumps(value, indent=2) + "\n").encode()])

    def copy(self, source: Path, name: str, most: int) -> Path:
        """Copy a file of at most so many bytes."""
        if (size := source.stat().st_size) > most:
            raise HeadlightError(
                f"“{shown(source.name)}” has {size:,} bytes and {most:,} are read: leave it out, or get it again."
            )
        with source.open("rb") as file:
            return self.write(name, _chunks(file))

    def link(self, source: Path, name: str) -> Path:
        """Give a file a second name here: a hard link, or a symbolic one to a file below HEADLIGHT_MODELS elsewhere.

        A file that can be linked in neither way is copied.
        """
        real = source.resolve(strict=True)
        target = self.folder / name
        try:
            os.link(real, target)
        except OSError:
            if any(real.is_relative_to(root) for root in roots()):
                target.symlink_to(real)
            else:
                self.require(size := real.stat().st_size)
                self.copy(real, name, size)
        return target

    @contextmanager
    def boxed(
        self, function: str, argument: object, *, seconds: float, nbytes: int, written: int, step: str, usual: float
    ) -> Iterator[Path]:
        """Run a function in a box, and give the folder that it wrote to; what is not taken out of it goes.

        step: what it does, for the job, whose progress is the time that has passed of the seconds it usually takes.
        It is empty before, so that no box can change a file that others have under another name.
        Raises what `core.jobs.boxed.boxed` raises, and HeadlightError where there is no room for what may be written.
        """
        self.require(written)
        self._workplace.mkdir(0o700)
        try:
            boxed(
                function, argument, seconds=seconds, nbytes=nbytes, folder=self._workplace, written_nbytes=written,
                job=self.job, on_second=self._clock(step, math.ceil(usual)),
            )  # fmt: skip
            yield self._workplace
        finally:
            shutil.rmtree(self._workplace, ignore_errors=True)

    def _clock(self, step: str, usual: int) -> Callable[[int], None]:
        """Tells the job each second that has passed; the last of the usual ones stays until the work is done."""

        def tell(passed: int) -> None:
            if self.job is not None:
                self.job.advance(min(passed, usual), usual + 1, step)

        tell(0)
        return tell

    def take(self, made: Path, name: str) -> Path:
        """Move a file out of a box's folder to its place. Raises HeadlightError unless it is a plain file."""
        try:
            found = made.lstat()
        except FileNotFoundError:
            found = None
        if found is None or not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise HeadlightError(f"“{shown(name)}” did not come out of its conversion: get the file again.")
        self.require(found.st_size)
        made.rename(self.folder / name)
        self._room[0] -= found.st_size
        return self.folder / name

    def count(self, nbytes: int) -> None:
        """Count what somebody else has written here. Raises HeadlightError where it was too much."""
        self.require(nbytes)
        self._room[0] -= nbytes

    def require(self, nbytes: int) -> None:
        """Raise HeadlightError where so many bytes would be too many, or more than the disk has."""
        if nbytes > self.room:
            raise HeadlightError(
                f"Preparing the model takes {_megabytes(nbytes)} on the disk and {_megabytes(self.room)} of the bound "
                "are left: choose a smaller model, or set HEADLIGHT_UPLOAD_MB higher where Headlight is started."
            )
        if nbytes + SPARE_BYTES > shutil.disk_usage(self.folder).free:
            raise HeadlightError(
                f"The server's disk has no room for the {_megabytes(nbytes)} that preparing the model takes: make room "
                "there, or ask for it."
            )

    def tell(self, step: str) -> None:
        """Say what is under way. Raises `Cancelled` if the job was stopped."""
        if self.job is not None:
            self.job.advance(0, 1, step)

    def check(self) -> None:
        """Raise `Cancelled` if the job was stopped."""
        if self.job is not None:
            self.job.check()


@contextmanager
def filling(into: Intake, job: Job | None) -> Iterator[Filling]:
    """A filling whose files appear in `into.folder` at the end of the block, and nowhere if it fails.

    Raises HeadlightError for what the disk refuses, and ValueError for a folder that is not empty.
    """
    hidden = into.folder / ".preparing"
    moved: list[Path] = []
    try:
        if next(into.folder.iterdir(), None) is not None:
            raise ValueError("A model is prepared in a folder of its own, which must be empty.")
        hidden.mkdir(0o700)
        (hidden / "ready").mkdir(0o700)
        started = Filling(hidden / "ready", hidden / "box", [into.bounds.nbytes - into.nbytes], ([], []), job)
        yield started
        started.check()
        for made in sorted(started.folder.iterdir()):
            moved.append(made.rename(into.folder / made.name))
        hidden.joinpath("ready").rmdir()
        hidden.rmdir()
    except BaseException as error:
        _remove([hidden, *moved])
        if isinstance(error, OSError):
            raise HeadlightError(
                f"The model cannot be kept on the server ({error.strerror or error}): try again, or ask whoever runs "
                "it."
            ) from error
        raise


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _chunks(file: Any) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _megabytes(nbytes: int) -> str:
    return f"{max(0, nbytes) / _MEGABYTE:,.1f} MB"
