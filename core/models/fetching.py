"""Downloading a model of the hub: only when somebody asks for it, and only files that cannot run.

Each file is written beside its place, checked against the hub's own checksum and only then moved there; the model
appears in the cache when all files have arrived. What a stopped download has left is gone on with by the next.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import HeadlightError
from core.jobs import Job
from core.models.cache import alone
from core.models.hub import INDEXES, LATER, MODULES, READING, SETTINGS, WEIGHTS, HubId, hub_id
from core.models.opening.tokenizer_files import ALL_FILES

if TYPE_CHECKING:
    from core.models.remote import RemoteFile

SECONDS_BETWEEN_REPORTS = 0.1
# Left on the disk for everything else.
SPARE_BYTES = 64 << 20
_SMALL = {*ALL_FILES, "config.json", "generation_config.json", MODULES, SETTINGS, *READING}


def download(name: str, job: Job | None = None) -> Path:
    """Fetch a model of the hub into the hub's cache, and return the folder that it opens from.

    name: a catalogue name or a hub id, with "@revision" where it is not the main branch.
    job: told how many bytes of how many have come; its `Cancelled` ends the download between two chunks.
    Raises HeadlightError, one sentence, when the model cannot be had; a later try goes on where this one stopped.
    """
    wanted = _wanted(name)
    _refuse_offline(wanted)
    from core.models.remote import listing, worded  # slow to import, and needed by a click only

    try:
        wanted.storage.mkdir(parents=True, exist_ok=True)
        with alone(wanted.storage / "headlight.lock", job), worded(wanted):
            commit, listed = listing(wanted)
            files = needed(wanted, listed)
            _require_room(wanted, files)
            _fetch_all(wanted, commit, files, job)
            return _publish(wanted, commit, files)
    except OSError as error:
        raise HeadlightError(
            f"{wanted} cannot be kept in {wanted.storage.parent} ({error.strerror or error}): make room there, or name "
            "another folder in HF_HOME."
        ) from error


def needed(wanted: HubId, listed: tuple[RemoteFile, ...]) -> tuple[RemoteFile, ...]:
    """The files that opening the model takes, small ones first; pickled weights only where there are no others.

    Raises HeadlightError when the repository holds no model for transformers.
    """
    small = [file for file in listed if file.name in _SMALL]
    weights = _weights(listed)
    if not weights or not any(file.name == "config.json" for file in small):
        raise HeadlightError(
            f"{wanted} holds no weights with a config.json that Headlight opens: choose another model."
        )
    return tuple(sorted([*small, *weights, *_of_modules(listed)], key=lambda file: file.nbytes))


def _weights(listed: Sequence[RemoteFile], folder: str = "") -> list[RemoteFile]:
    """The weight files of a folder, whose name ends with a stroke: safetensors before pickles."""
    here = {file.name.removeprefix(folder): file for file in listed if file.name.startswith(folder)}
    for suffix, index in zip(("safetensors", "bin"), INDEXES, strict=True):
        whole = [name for name in here if WEIGHTS.fullmatch(name) and name.endswith(suffix)]
        if single := [here[name] for name in whole if "-of-" not in name]:
            return single
        if whole:
            return [here[name] for name in (*whole, index) if name in here]
    return []


def _of_modules(listed: Sequence[RemoteFile]) -> list[RemoteFile]:
    """The files of what sentence-transformers does after the network."""
    if all(file.name != MODULES for file in listed):
        return []
    folders = {folder for folder, _, name in (file.name.partition("/") for file in listed) if name}
    later = sorted(f"{folder}/" for folder in folders if LATER.fullmatch(folder))
    configs = [file for file in listed if file.name in {f"{folder}config.json" for folder in later}]
    return [*configs, *(file for folder in later for file in _weights(listed, folder))]


def _wanted(name: str) -> HubId:
    from core.models.catalogue import find

    entry = find(name)
    wanted = entry.hub if entry else hub_id(name)
    if wanted is None:
        why = "comes with a package" if entry else "is no name of a model on the hub, such as owner/name"
        raise HeadlightError(f"{name[:200]} {why}, so there is nothing to download.")
    return wanted


def _refuse_offline(wanted: HubId) -> None:
    from huggingface_hub import is_offline_mode

    if is_offline_mode():
        raise HeadlightError(
            f"{wanted} is not downloaded while HF_HUB_OFFLINE is set: unset it and start Headlight again."
        )


def _require_room(wanted: HubId, files: tuple[RemoteFile, ...]) -> None:
    missing = sum(file.nbytes - _arrived(wanted, file) for file in files)
    free = shutil.disk_usage(wanted.storage).free
    if missing + SPARE_BYTES > free:
        raise HeadlightError(
            f"{wanted} takes another {missing / 1e6:,.0f} MB and {wanted.storage.parent} has room for "
            f"{free / 1e6:,.0f} MB: make room there, or name another folder in HF_HOME."
        )


def _blob(wanted: HubId, file: RemoteFile) -> Path:
    return wanted.storage / "blobs" / file.digest


def _part(wanted: HubId, file: RemoteFile) -> Path:
    return wanted.storage / "blobs" / f"{file.digest}.headlight-part"


def _arrived(wanted: HubId, file: RemoteFile) -> int:
    if _blob(wanted, file).is_file():
        return file.nbytes
    part = _part(wanted, file)
    return min(part.stat().st_size, file.nbytes) if part.is_file() else 0


def _fetch_all(wanted: HubId, commit: str, files: tuple[RemoteFile, ...], job: Job | None) -> None:
    report = _Report(job, str(wanted), sum(file.nbytes for file in files))
    for file in files:
        if not _is_whole(_blob(wanted, file), file):
            _fetch(wanted, commit, file, report)
        report.file_done(file.nbytes)


class _Report:
    """Tells a job how many bytes of all files have come, not more often than a person can read."""

    def __init__(self, job: Job | None, name: str, total: int) -> None:
        self._job, self._name, self._total = job, name, total
        self._before = 0
        self._told_at = 0.0

    def arrived(self, nbytes: int) -> None:
        """There are so many bytes of the file that is being fetched."""
        if self._job is not None:
            self._job.check()
            if time.monotonic() - self._told_at >= SECONDS_BETWEEN_REPORTS:
                self._tell(self._before + nbytes)

    def file_done(self, nbytes: int) -> None:
        """A file of so many bytes is there, and the next comes."""
        self._before += nbytes
        self._tell(self._before)

    def _tell(self, done: int) -> None:
        if self._job is not None:
            done = min(done, self._total)
            step = f"downloading {self._name}: {done / 1e6:,.1f} of {self._total / 1e6:,.1f} MB"
            self._job.advance(done, self._total, step)
            self._told_at = time.monotonic()


def _fetch(wanted: HubId, commit: str, file: RemoteFile, report: _Report) -> None:
    """One file into the cache; what an earlier try has left of it is kept and gone on with."""
    from core.models.remote import receive

    part = _part(wanted, file)
    part.parent.mkdir(exist_ok=True)
    with part.open("ab") as target:
        report.arrived(target.tell())
        if target.tell() < file.nbytes:
            receive(wanted, commit, file, target, report.arrived)
    if part.stat().st_size < file.nbytes:
        raise HeadlightError(f"{file.name} of {wanted} came in part only: try again, which goes on from there.")
    if not _is_whole(part, file):
        part.unlink()
        raise HeadlightError(f"{file.name} of {wanted} arrived damaged and was thrown away: try again.")
    part.replace(_blob(wanted, file))


def _is_whole(path: Path, file: RemoteFile) -> bool:
    """Whether a file is there with the announced length and checksum."""
    if not path.is_file() or path.stat().st_size != file.nbytes:
        return False
    with path.open("rb") as opened:
        if len(file.digest) == 64:
            return hashlib.file_digest(opened, "sha256").hexdigest() == file.digest
        # Git hashes a file's length along with its content.
        return hashlib.sha1(b"blob %d\0" % file.nbytes + opened.read()).hexdigest() == file.digest


def _publish(wanted: HubId, commit: str, files: tuple[RemoteFile, ...]) -> Path:
    """Lay out the commit's folder as the hub's own library does; only now can the model be opened."""
    folder = wanted.storage / "snapshots" / commit
    # The config comes last: a folder without one is not opened.
    for file in sorted(files, key=lambda file: file.name == "config.json"):
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        _link(_blob(wanted, file), folder / file.name)
    if wanted.revision != commit:
        reference = wanted.storage / "refs" / wanted.revision
        reference.parent.mkdir(parents=True, exist_ok=True)
        fresh = reference.with_name(f"{reference.name}.headlight")
        fresh.write_text(commit)
        fresh.replace(reference)
    return folder


def _link(blob: Path, place: Path) -> None:
    if place.exists():
        return
    place.unlink(missing_ok=True)  # a link to nothing
    try:
        place.symlink_to(os.path.relpath(blob, place.parent))
    except OSError:  # Windows without the right to make links
        shutil.copyfile(blob, place)
