"""The files of a zip as packers write it unless told otherwise, stored or deflated, each held against its directory."""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from core.models.intake.limits import Limits
from core.models.intake.streams import Meter, Unfit, deflated, raw_chunks
from core.models.zip_directory import (
    DEFLATED,
    END,
    ENTRY,
    LONGEST_COMMENT,
    STORED,
    DamagedZip,
    ZipEntry,
    directory_of,
    entries_in,
    first_name,
)

STARTS = (ENTRY, END)
_UTF8 = 0x800
# torch.save writes this first into the zip that a checkpoint is.
_CHECKPOINT = re.compile(rb"[^/]+/data\.pkl")


@dataclass(frozen=True)
class ZippedFile:
    """A file or folder of a zip: its name, and what the directory tells of it."""

    name: str
    entry: ZipEntry

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which has no bytes."""
        return self.name.endswith("/")


def is_checkpoint(start: bytes) -> bool:
    """Whether a zip that begins so is a checkpoint of PyTorch: one thing to be read, no archive to be unpacked."""
    return _CHECKPOINT.fullmatch(first_name(start)) is not None


def zip_entries(file: BinaryIO, bounds: Limits) -> list[ZippedFile]:
    """The files and folders of a zip in the order of their bytes; those beyond the bounds are not even listed.

    Raises Unfit for more entries or bytes than the bounds allow, for encrypted files, links and devices, for methods
    other than stored and deflated, and where the directory contradicts itself or the file.
    """
    try:
        directory = directory_of(file, LONGEST_COMMENT)
        if directory.count > bounds.entries:
            raise Unfit(f"it holds more than {bounds.entries:,} files and folders")
        files = [_checked(entry) for entry in entries_in(file, directory)]
    except DamagedZip as error:
        raise Unfit(str(error)) from error
    if sum(file.entry.nbytes for file in files) > bounds.nbytes:
        raise Unfit("it unpacks to more than an upload may hold")
    return files


def zip_chunks(archive: BinaryIO, file: ZippedFile, meter: Meter) -> Iterator[bytes]:
    """The bytes of one file, in pieces, with its length and its checksum held against the directory.

    Raises Unfit where they differ, and zlib.error for bytes that are not deflated.
    """
    entry = file.entry
    archive.seek(entry.start)
    packed = raw_chunks(archive, entry.packed, meter)
    crc = nbytes = 0
    for chunk in packed if entry.method == STORED else deflated(packed, meter):
        crc = zlib.crc32(chunk, crc)
        nbytes += len(chunk)
        if nbytes > entry.nbytes:
            raise Unfit("a file in it is longer than it says")
        yield chunk
    if nbytes < entry.nbytes:
        raise Unfit("a file in it is shorter than it says")
    if crc != entry.crc:
        raise Unfit("a file in it is damaged: its checksum differs")


def _checked(entry: ZipEntry) -> ZippedFile:
    """The entry under its name, if it is one that an upload may hold."""
    name = _decoded(entry.raw_name, entry.flags)
    if entry.is_encrypted:
        raise Unfit("a file in it is encrypted")
    if entry.method not in (STORED, DEFLATED):
        raise Unfit("a file in it is neither stored nor deflated")
    if stat.S_IFMT(entry.attributes >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unfit("it holds a link, a device or a pipe")
    if entry.disk not in (0, 0xFFFF):
        raise Unfit("it is one part of several")
    if (entry.method == STORED and entry.nbytes != entry.packed) or (name.endswith("/") and entry.nbytes):
        raise Unfit("a length in its directory cannot be")
    return ZippedFile(name, entry)


def _decoded(raw: bytes, flags: int) -> str:
    """A name in UTF-8, which many packers write without saying so, or else in the letters of MS-DOS."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if flags & _UTF8:
            raise Unfit("a name in it is damaged") from None
        return raw.decode("cp437")
