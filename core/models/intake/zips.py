"""Reading a zip by its directory, which is held against the file: what the two tell differently is refused.

Written by ourselves, since zipfile reads a directory of any length into memory, and lets files overlap. Format:
APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 to 4.5; files are stored or deflated, as packers do unless told otherwise.
"""

from __future__ import annotations

import re
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from core.models.intake.limits import Limits
from core.models.intake.streams import Meter, Unfit, deflated, raw_chunks

STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL = struct.Struct("<4s5H3L2H")
_LISTED = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LONGEST_COMMENT = 0xFFFF
# Of a name or of what is told beside it, in bytes.
_LONGEST_FIELD = 4_096
_MASK = 0xFFFFFFFF
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_STORED, _DEFLATED = 0, 8
# torch.save writes this first into the zip that a checkpoint is.
_CHECKPOINT = re.compile(rb"[^/]+/data\.pkl")


@dataclass(frozen=True)
class ZipEntry:
    """A file of a zip, as its directory tells of it: bytes in the archive and outside, and where its header lies."""

    raw_name: bytes
    name: str
    method: int
    crc: int
    packed: int
    nbytes: int
    offset: int

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which has no bytes."""
        return self.name.endswith("/")


@dataclass(frozen=True)
class _End:
    """Where the directory lies: from `offset` up to `at`, and how many it lists."""

    count: int
    size: int
    offset: int
    at: int


def is_checkpoint(start: bytes) -> bool:
    """Whether a zip that begins so is a checkpoint of PyTorch: one thing to be read, no archive to be unpacked."""
    if not start.startswith(STARTS[0]) or len(start) < _LOCAL.size:
        return False
    length = _LOCAL.unpack_from(start)[9]
    return _CHECKPOINT.fullmatch(start[_LOCAL.size : _LOCAL.size + length]) is not None


def zip_entries(file: BinaryIO, bounds: Limits) -> list[ZipEntry]:
    """The files and folders of a zip in the order of their bytes; those beyond the bounds are not even listed.

    Raises Unfit for more entries or bytes than the bounds allow, for encrypted files, links and devices, for methods
    other than stored and deflated, and where the directory contradicts itself or the file.
    """
    end = _end(file)
    if end.count > bounds.entries:
        raise Unfit(f"it holds more than {bounds.entries:,} files and folders")
    if end.offset + end.size != end.at:
        raise Unfit("its directory does not lie where it says, or something was put before or after it")
    file.seek(end.offset)
    entries = [_listed(file, end.at) for _ in range(end.count)]
    if file.tell() != end.at:
        raise Unfit("its directory lists another number of files than it says")
    if sum(entry.nbytes for entry in entries) > bounds.nbytes:
        raise Unfit("it unpacks to more than an upload may hold")
    entries.sort(key=lambda entry: entry.offset)
    starts = [*(entry.offset for entry in entries[1:]), end.offset]
    for entry, following in zip(entries, starts, strict=False):
        if entry.offset + _LOCAL.size + len(entry.raw_name) + entry.packed > following:
            raise Unfit("files in it overlap")
    return entries


def zip_chunks(file: BinaryIO, entry: ZipEntry, meter: Meter) -> Iterator[bytes]:
    """The bytes of one file, in pieces, with its length and its checksum held against the directory.

    Raises Unfit where they differ, and zlib.error for bytes that are not deflated.
    """
    file.seek(entry.offset)
    signature, _, flags, method, *_, name_length, extra_length = _read(file, _LOCAL)
    if signature != STARTS[0] or method != entry.method or flags & _ENCRYPTED:
        raise Unfit("a file in it contradicts its directory")
    if file.read(name_length) != entry.raw_name:
        raise Unfit("a file in it has another name than its directory tells")
    file.seek(extra_length, 1)
    packed = raw_chunks(file, entry.packed, meter)
    crc = nbytes = 0
    for chunk in packed if entry.method == _STORED else deflated(packed, meter):
        crc = zlib.crc32(chunk, crc)
        nbytes += len(chunk)
        if nbytes > entry.nbytes:
            raise Unfit("a file in it is longer than it says")
        yield chunk
    if nbytes < entry.nbytes:
        raise Unfit("a file in it is shorter than it says")
    if crc != entry.crc:
        raise Unfit("a file in it is damaged: its checksum differs")


def _read(file: BinaryIO, fields: struct.Struct) -> tuple[Any, ...]:
    data = file.read(fields.size)
    if len(data) < fields.size:
        raise Unfit("it ends too early")
    return fields.unpack(data)


def _end(file: BinaryIO) -> _End:
    """The record at the file's end, found from behind: its comment must reach that end."""
    length = file.seek(0, 2)
    tail_at = max(0, length - _END.size - _LONGEST_COMMENT)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(STARTS[1])
    while at >= 0:
        if at + _END.size <= len(tail):
            _, disk, first, here, count, size, offset, comment = _END.unpack_from(tail, at)
            if at + _END.size + comment == len(tail):
                return _in_64_bits(file, tail_at + at, (disk, first, here, count, size, offset))
        at = tail.rfind(STARTS[1], 0, at)
    raise Unfit("its end is missing, or something follows it")


def _in_64_bits(file: BinaryIO, at: int, told: tuple[int, ...]) -> _End:
    """The end with the larger numbers of zip64 where there are such; where both have room they must agree."""
    numbers = told
    if at >= _LOCATOR.size:
        file.seek(at - _LOCATOR.size)
        signature, _, record_at, _ = _read(file, _LOCATOR)
        if signature == b"PK\x06\x07":
            at -= _LOCATOR.size
            if record_at + _END64.size > at:
                raise Unfit("its zip64 record does not lie where it says")
            file.seek(record_at)
            signature, size, _, _, *numbers_64 = _read(file, _END64)
            if signature != b"PK\x06\x06" or record_at + 12 + size != at:
                raise Unfit("its zip64 record does not lie where it says")
            at, numbers = record_at, tuple(numbers_64)
    fulls = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, _MASK, _MASK)
    if any(number != small != full for number, small, full in zip(numbers, told, fulls, strict=True)):
        raise Unfit("its zip64 record contradicts its end")
    disk, first, here, count, nbytes, offset = numbers
    if disk or first or here != count:
        raise Unfit("it is one part of several")
    return _End(count, nbytes, offset, at)


def _listed(file: BinaryIO, end: int) -> ZipEntry:
    """The next entry of the directory, which ends there."""
    numbers = _read(file, _LISTED)
    signature, _, _, flags, method, _, _, crc, packed, nbytes, *lengths, disk, _, attributes, offset = numbers
    name_length, extra_length, comment_length = lengths
    if signature != b"PK\x01\x02" or file.tell() + sum(lengths) > end:
        raise Unfit("its directory is damaged")
    if max(name_length, extra_length) > _LONGEST_FIELD:
        raise Unfit("a name in it is too long")
    raw_name = file.read(name_length)
    extra = file.read(extra_length)
    file.seek(comment_length, 1)
    nbytes, packed, offset = _larger(extra, (nbytes, packed, offset))
    name = _decoded(raw_name, flags)
    if flags & _ENCRYPTED:
        raise Unfit("a file in it is encrypted")
    if method not in (_STORED, _DEFLATED):
        raise Unfit("a file in it is neither stored nor deflated")
    if stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unfit("it holds a link, a device or a pipe")
    if disk not in (0, 0xFFFF):
        raise Unfit("it is one part of several")
    if (method == _STORED and nbytes != packed) or (name.endswith("/") and nbytes):
        raise Unfit("a length in its directory cannot be")
    return ZipEntry(raw_name, name, method, crc, packed, nbytes, offset)


def _larger(extra: bytes, numbers: tuple[int, int, int]) -> list[int]:
    """The numbers with those of the zip64 field in place of the full ones; Unfit where that field is too short."""
    field = b""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            break
        at += 4 + length
    larger = []
    for number in numbers:
        if number == _MASK:
            if len(field) < 8:
                raise Unfit("its directory lacks a zip64 length")
            number, field = int.from_bytes(field[:8], "little"), field[8:]
        larger.append(number)
    return larger


def _decoded(raw: bytes, flags: int) -> str:
    """A name in UTF-8, which many packers write without saying so, or else in the letters of MS-DOS."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if flags & _UTF8:
            raise Unfit("a name in it is damaged") from None
        return raw.decode("cp437")
