"""The zip files that torch.save writes: entries uncompressed, in one folder, and apart.

Anything else that the zip format allows (compression, encryption, a comment at its end, entries over one another) is
refused, so that no other reader can see another file in the same bytes.
"""

from __future__ import annotations

from typing import BinaryIO

from core.models.checking_files.entries import MOST_TENSORS
from core.models.checking_files.telling import Wrong, quoted
from core.models.zip_directory import STORED, DamagedZip, Directory, ZipEntry, directory_of, entries_in

# Beside the tensors there are a few small entries.
MOST_ENTRIES = MOST_TENSORS + 1_000
LONGEST_DIRECTORY = 1 << 25
_NOT_TORCH = "save it again with torch.save"


def parts_in(file: BinaryIO) -> dict[str, ZipEntry]:
    """The entries by their names without the folder that all of them lie in. Raises Wrong for any other zip file."""
    parts: dict[str, ZipEntry] = {}
    for entry in _entries(file):
        name = _checked_name(entry)
        if name in parts:
            raise Wrong(f"its zip directory names {quoted(name)} twice")
        parts[name] = entry
    return _without_folder(parts)


def _entries(file: BinaryIO) -> list[ZipEntry]:
    try:
        directory = directory_of(file, longest_comment=0)
        if directory.count > MOST_ENTRIES or directory.nbytes > LONGEST_DIRECTORY:
            raise Wrong(f"its zip directory declares {directory.count:,} entries and {MOST_ENTRIES:,} are allowed")
        _check_alone(directory)
        return entries_in(file, directory)
    except DamagedZip as error:
        raise Wrong(str(error)) from error


def _check_alone(told: Directory | ZipEntry) -> None:
    if told.disk != 0:
        raise Wrong("it is one of several zip files that belong together", _NOT_TORCH)


def _checked_name(entry: ZipEntry) -> str:
    """The name of an entry that torch.save may have written, or Wrong."""
    try:
        name = entry.raw_name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Wrong("the name of a part of it is no UTF-8") from error
    steps = name.split("/")
    if not name.isprintable() or "\\" in name or ":" in name or any(step in ("", ".", "..") for step in steps):
        raise Wrong(f"its part {quoted(name)} is named like a path that leads elsewhere")
    _check_alone(entry)
    if "/code/" in name:
        raise Wrong("it is a TorchScript program", "save the state_dict() of its model instead")
    if entry.is_encrypted:
        raise Wrong(f"its part {quoted(name)} is encrypted", _NOT_TORCH)
    if entry.method != STORED or entry.packed != entry.nbytes:
        raise Wrong(f"its part {quoted(name)} is compressed, which torch.save never does", _NOT_TORCH)
    return name


def _without_folder(parts: dict[str, ZipEntry]) -> dict[str, ZipEntry]:
    folders = {name.partition("/")[0] for name in parts}
    if len(folders) != 1 or any("/" not in name for name in parts):
        raise Wrong("its parts do not lie in one folder as torch.save puts them", _NOT_TORCH)
    return {name.partition("/")[2]: part for name, part in parts.items()}
