"""Files of other programs, turned once into a sealed folder that loads like any other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.cache import cache_folder, made_once
from core.models.packages import INSTALL_ALL

SEAL = "headlight.json"


def unpacked_once(file: Path, digest: str, version: int, write: Callable[[Path], None], job: Job | None = None) -> Path:
    """The folder that `write` fills, made now if nobody did before; it is sealed by its files' digests.

    digest: the file's SHA-256, which names the folder with version, to be raised when what is written changes.
    Raises HeadlightError, one sentence, when the file cannot be read or its folder cannot be written.
    """
    if job is not None:
        job.advance(0, 3, f"unpacking {file.name}, once")
    folder = cache_folder() / "unpacked" / f"{file.stem}-{digest[:12]}-v{version}"
    return made_once(folder, _is_sealed, lambda empty: _sealed(file, write, empty), job)


def _sealed(file: Path, write: Callable[[Path], None], folder: Path) -> None:
    try:
        write(folder)
    except (HeadlightError, OSError, MemoryError):
        raise
    except ImportError as error:
        raise HeadlightError(
            f"{file.name} cannot be unpacked without the package {error.name}: run {INSTALL_ALL}."
        ) from error
    except Exception as error:
        raise HeadlightError(f"{file.name} cannot be unpacked: get it again, or choose another model.") from error
    digests = {path.name: _digest(path) for path in sorted(folder.iterdir())}
    (folder / SEAL).write_text(json.dumps({"from": file.name, "sha256": digests}, indent=2))


def _is_sealed(folder: Path) -> bool:
    """Whether every file is there and unchanged since it was written."""
    try:
        digests: dict[str, str] = json.loads((folder / SEAL).read_text())["sha256"]
        return all(_digest(folder / name) == digest for name, digest in digests.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
