"""The files below a folder, as far as they are looked at: bounded in number and depth, and no link leads out."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.models.finding.results import FileKind, FoundFile, Severity
from core.models.folders import roots
from core.models.intake.limits import STANDARD
from core.models.quoting import shown

MOST_ENTRIES = STANDARD.entries
DEEPEST = STANDARD.depth
# What macOS packs beside the files of a folder.
_LEFT_OUT = "__MACOSX"


@dataclass(frozen=True)
class Entry:
    """A file to look at: where it is, where it lies in the folder that is searched, and its size."""

    path: Path
    parts: tuple[str, ...]
    nbytes: int

    @property
    def name(self) -> str:
        """Its own name, as it is on the disk."""
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        """The end of its name from the last dot on, in small letters."""
        return Path(self.name).suffix.lower()

    @property
    def folder(self) -> tuple[str, ...]:
        """The parts of the path to the folder that it lies in."""
        return self.parts[:-1]


def place_of(parts: tuple[str, ...]) -> str:
    """A path as it is shown, with whatever nobody would see in it spelled out."""
    return "/".join("".join(map(shown, part)) for part in parts)


def walked(folder: Path) -> tuple[list[Entry], list[FoundFile]]:
    """The regular files below a folder, those nearest to it first, and a sentence about all that is passed over.

    A link counts as a file where it leads to one in the folder itself, or, for a folder below HEADLIGHT_MODELS, in any
    of those: the hub's cache consists of such links.
    """
    top = folder.resolve()
    allowed = (top, *(roots() if any(top.is_relative_to(root) for root in roots()) else ()))
    entries: list[Entry] = []
    said: list[FoundFile] = []
    waiting: deque[tuple[Path, tuple[str, ...]]] = deque([(folder, ())])
    left = MOST_ENTRIES
    while waiting:
        path, parts = waiting.popleft()
        children = _children(path, left + 1)
        if children is None:
            said.append(_passed(parts, "a folder that cannot be read: give the server access to it", "error"))
            continue
        for child in children:
            if left <= 0:
                said.append(_passed((), f"only its first {MOST_ENTRIES:,} files and folders were looked at", "warning"))
                return entries, said
            left -= 1
            _sort(child, (*parts, child.name), allowed, entries, said, waiting)
    return entries, said


def _sort(
    child: os.DirEntry[str],
    parts: tuple[str, ...],
    allowed: tuple[Path, ...],
    entries: list[Entry],
    said: list[FoundFile],
    waiting: deque[tuple[Path, tuple[str, ...]]],
) -> None:
    """Put one entry of a folder where it belongs: among the files, the folders to look into, or what is passed over."""
    try:
        if child.name.startswith(".") or child.name == _LEFT_OUT:
            said.append(_passed(parts, "hidden, left out"))
        elif child.is_symlink() and not _leads_inside(child, allowed):
            sentence = "a link that leads out of the folder, not followed: put the file itself in its place"
            said.append(_passed(parts, sentence, "error"))
        elif child.is_file():
            entries.append(Entry(Path(child.path), parts, child.stat().st_size))
        elif child.is_symlink():
            said.append(_passed(parts, "a link to a folder, not followed"))
        elif not child.is_dir():
            said.append(_passed(parts, "no regular file, never opened: leave it out", "error"))
        elif len(parts) >= DEEPEST:
            said.append(_passed(parts, "a folder too deep to be looked into: move it further up", "warning"))
        else:
            waiting.append((Path(child.path), parts))
    except OSError:
        said.append(_passed(parts, "it cannot be read from the disk: put it there again", "error"))


def _children(folder: Path, most: int) -> list[os.DirEntry[str]] | None:
    """At most so many entries of a folder by name; None where it cannot be read."""
    try:
        with os.scandir(folder) as listed:
            return sorted(islice(listed, most), key=lambda entry: entry.name)
    except OSError:
        return None


def _leads_inside(child: os.DirEntry[str], allowed: tuple[Path, ...]) -> bool:
    try:
        target = Path(child.path).resolve(strict=True)
    except (OSError, RuntimeError):  # nowhere, or round in a circle
        return False
    return any(target.is_relative_to(root) for root in allowed)


def _passed(parts: tuple[str, ...], why: str, severity: Severity = "info") -> FoundFile:
    name = shown(parts[-1]) if parts else "The folder"
    kind: FileKind = "refused" if severity == "error" else "other"
    return FoundFile(place_of(parts) or ".", 0, kind, f"{name}: {why}.", severity)
