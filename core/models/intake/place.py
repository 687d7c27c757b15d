"""The folder of one upload: of one browser session, inside bounds, and gone when it is closed or its server is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path, PurePosixPath
from threading import Lock
from types import TracebackType

from core.errors import HeadlightError
from core.jobs import Job
from core.models.intake.limits import VARIABLE, Limits, limits, megabytes
from core.models.intake.names import safe_path
from core.models.intake.owners import PREFIX, intake_root, mark_as_ours, sweep
from core.models.intake.taken import Taken, with_files

__all__ = ["Intake", "intake_root", "sweep"]

# Left on the disk for everything else.
SPARE_BYTES = 64 << 20


class Intake:
    """A folder below `intake_root()`, open to this user alone, for the files of one upload.

    folder: where the files appear, each once it is whole. bounds: what they are held to together.
    Files are added by one thread at a time; any thread may close it, and a file that is just coming is then refused.
    Raises HeadlightError where there is no folder to be had.
    """

    def __init__(self, bounds: Limits | None = None) -> None:
        self.bounds = bounds or limits()
        with _worded():
            self._place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=intake_root()))
            self.folder = self._place / "files"
            self._parts = self._place / "parts"
            try:
                mark_as_ours(self._place)
                self.folder.mkdir(0o700)
                self._parts.mkdir(0o700)
            except BaseException:
                shutil.rmtree(self._place, ignore_errors=True)
                raise
        self._taken: Taken = {}
        self._files: list[Path] = []
        self._nbytes = 0
        self._begun = 0
        self._closed = False
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of all files that are here or are coming."""
        return self._nbytes

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are here, in the order they came."""
        return tuple(self._files)

    def add(self, path: str, chunks: Iterable[bytes], job: Job | None = None) -> Path:
        """Write one file, which appears at its place only when all of it has come.

        path: its name, or its path with forward slashes, as the browser told it.
        Raises HeadlightError for a name that is refused or taken, for an upload beyond the bounds, for a full disk, and
        `Cancelled` when the job is stopped; nothing of the file is left then.
        """
        place = safe_path(path, self.bounds)
        with_files(self._taken, [place], self.bounds)  # before the bytes have come
        part = self.hold(chunks, job)
        return self.settle([(place, part)])[0]

    def hold(self, chunks: Iterable[bytes], job: Job | None = None) -> Path:
        """Write bytes to a file of no name yet, for `settle` or `discard`; its errors are those of `add`."""
        part, begun = self._begin()
        nbytes = 0
        try:
            for chunk in chunks:
                if job is not None:
                    job.check()
                self._require_room(len(chunk))
                self._nbytes += len(chunk)
                nbytes += len(chunk)
                with _worded():
                    begun.write(chunk)
            with _worded():
                begun.close()
        except BaseException:  # whatever ends it, also a browser that leaves
            with suppress(OSError):
                begun.close()
            self._drop(part, nbytes)
            raise
        return part

    def discard(self, parts: Iterable[Path]) -> None:
        """Delete files that were held."""
        for part in parts:
            with suppress(OSError):
                self._drop(part, part.stat().st_size)

    def settle(self, held: list[tuple[PurePosixPath, Path]]) -> tuple[Path, ...]:
        """Give held files their names, all of them or none: where one is refused, all that were held are deleted.

        Each path comes from `safe_path`. Raises HeadlightError for a name that is taken, and beyond the bounds.
        """
        moved: list[Path] = []
        try:
            with self._lock:
                self._require_open()
                new = with_files(self._taken, [place for place, _ in held], self.bounds)
                with _worded():
                    for place, part in held:
                        target = self.folder / place
                        target.parent.mkdir(0o700, parents=True, exist_ok=True)
                        part.rename(target)
                        moved.append(target)
                self._taken |= new
                self._files += moved
        except BaseException:
            self.discard([*moved, *(part for _, part in held[len(moved) :])])
            raise
        return tuple(moved)

    def close(self) -> None:
        """Delete the folder and all that is in it; to be called once or more."""
        with self._lock:
            self._closed = True
            shutil.rmtree(self._place, ignore_errors=True)
            self._taken, self._files, self._nbytes = {}, [], 0

    def __enter__(self) -> Intake:
        """This intake; closed at the end of the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Delete everything, whatever happened."""
        self.close()

    def _begin(self) -> tuple[Path, BufferedWriter]:
        with self._lock, _worded():
            self._require_open()
            self._begun += 1
            part = self._parts / str(self._begun)
            return part, part.open("xb")

    def _require_room(self, nbytes: int) -> None:
        if self._nbytes + nbytes > self.bounds.nbytes:
            raise HeadlightError(
                f"This upload is larger than {megabytes(self.bounds.nbytes)}: leave out what the model does not need, "
                f"or set {VARIABLE} higher where Headlight is started."
            )
        with _worded():
            self._require_open()
            if shutil.disk_usage(self._parts).free < nbytes + SPARE_BYTES:
                raise HeadlightError("The server's disk has no room for this upload: make room there, or ask for it.")

    def _require_open(self) -> None:
        if self._closed:
            raise HeadlightError("This upload was given up before it was whole: start it again.")

    def _drop(self, part: Path, nbytes: int) -> None:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        with self._lock:
            self._nbytes = max(0, self._nbytes - nbytes)


@contextmanager
def _worded() -> Iterator[None]:
    """Errors of the disk, as one sentence."""
    try:
        yield
    except OSError as error:
        raise HeadlightError(
            f"The upload cannot be kept on the server ({error.strerror or error}): try again, or ask whoever runs it."
        ) from error
