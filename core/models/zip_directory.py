"""A zip's directory and the headers it lists, held against one another: what they tell differently is refused.

Written by ourselves, since zipfile reads a directory of any length into memory, and lets files overlap. Which entries
are welcome is for those to say who ask. Format: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 to 4.5.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from core.models.quoting import shown

ENTRY, END = b"PK\x03\x04", b"PK\x05\x06"
STORED, DEFLATED = 0, 8
LONGEST_COMMENT = 0xFFFF
_LISTED = b"PK\x01\x02"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
_HEADER_FIELDS = struct.Struct("<4s5H3L2H")
_LISTED_FIELDS = struct.Struct("<4s6H3L5H2L")
_END_FIELDS = struct.Struct("<4s4H2LH")
_LOCATOR64_FIELDS = struct.Struct("<4sLQL")
_END64_FIELDS = struct.Struct("<4sQ2H2L4Q")
# Of a name or of what is told beside it, in bytes.
_LONGEST_FIELD = 4_096
_IN_ZIP64 = 0xFFFFFFFF
# What the fields of the end hold where zip64 tells the number instead.
_FULL = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, _IN_ZIP64, _IN_ZIP64)
_ENCRYPTED = 0x1 | 0x40 | 0x2000


class DamagedZip(Exception):
    """What is wrong with a zip, as the middle of a sentence."""


@dataclass(frozen=True)
class Directory:
    """What a zip's end says of its directory.

    count         how many entries it lists
    nbytes, start how long it is, and where it starts
    end           where it must end, since what tells of it follows there
    disk          as of an entry
    """

    count: int
    nbytes: int
    start: int
    end: int
    disk: int


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An entry as the directory tells of it.

    packed, nbytes  its bytes in the zip and outside
    disk            on which of several zip files it says to lie; 0xFFFF where it leaves that to zip64
    header, start   where its own header lies in the file, and where its bytes begin
    """

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    nbytes: int
    disk: int
    attributes: int
    header: int
    start: int

    @property
    def is_encrypted(self) -> bool:
        """Whether its bytes, or what is told of it, are encrypted."""
        return bool(self.flags & _ENCRYPTED)


def first_name(start: bytes) -> bytes:
    """The name of the entry that a zip begins with, given its first bytes; b"" where it begins with none."""
    if not start.startswith(ENTRY) or len(start) < _HEADER_FIELDS.size:
        return b""
    length = _HEADER_FIELDS.unpack_from(start)[9]
    return start[_HEADER_FIELDS.size : _HEADER_FIELDS.size + length]


def directory_of(file: BinaryIO, longest_comment: int) -> Directory:
    """Where a zip's directory lies, told by its end, which is searched from behind; callers bound it, then read it.

    longest_comment: bytes of a comment at the end, up to LONGEST_COMMENT. Raises DamagedZip where the end is missing,
    contradicts itself, or tells of other zip files.
    """
    length = file.seek(0, 2)
    tail_at = max(0, length - _END_FIELDS.size - longest_comment)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(END)
    while at >= 0:
        if at + _END_FIELDS.size <= len(tail):
            _, *numbers, comment = _END_FIELDS.unpack_from(tail, at)
            if at + _END_FIELDS.size + comment == len(tail):
                return _in_64_bits(file, tail_at + at, numbers)
        at = tail.rfind(END, 0, at)
    raise DamagedZip("it is cut short, or something follows its end")


def entries_in(file: BinaryIO, directory: Directory) -> list[ZipEntry]:
    """The entries in the order of their bytes, each of which lies apart from the others and has the header it ought to.

    Raises DamagedZip where the directory contradicts itself or the file.
    """
    if directory.start + directory.nbytes != directory.end:
        raise DamagedZip("its zip directory does not lie where it says, or something was put before or after it")
    file.seek(directory.start)
    entries = [_listed(file, directory.end) for _ in range(directory.count)]
    if file.tell() != directory.end:
        raise DamagedZip("its zip directory lists another number of files than it says")
    entries.sort(key=lambda entry: entry.header)
    ends = [*(entry.header for entry in entries[1:]), directory.start]
    return [_located(file, entry, end) for entry, end in zip(entries, ends, strict=False)]


def _read(file: BinaryIO, fields: struct.Struct) -> tuple[Any, ...]:
    data = file.read(fields.size)
    if len(data) < fields.size:
        raise DamagedZip("it ends too early")
    return fields.unpack(data)


def _in_64_bits(file: BinaryIO, at: int, told: list[int]) -> Directory:
    """The directory with the larger numbers of zip64 where there are such; where both have room they must agree."""
    numbers = told
    if at >= _LOCATOR64_FIELDS.size:
        file.seek(at - _LOCATOR64_FIELDS.size)
        signature, _, record_at, _ = _read(file, _LOCATOR64_FIELDS)
        if signature == _LOCATOR64:
            at -= _LOCATOR64_FIELDS.size
            if record_at + _END64_FIELDS.size > at:
                raise DamagedZip("its zip64 record does not lie where it says")
            file.seek(record_at)
            signature, size, _, _, *numbers = _read(file, _END64_FIELDS)
            if signature != _END64 or record_at + 12 + size != at:
                raise DamagedZip("its zip64 record does not lie where it says")
            at = record_at
    if any(number != small != full for number, small, full in zip(numbers, told, _FULL, strict=True)):
        raise DamagedZip("its zip64 record contradicts its end")
    disk, first, here, count, nbytes, start = numbers
    if disk or first or here != count:
        raise DamagedZip("it is one part of several")
    return Directory(count, nbytes, start, at, max(told[:2]))


def _listed(file: BinaryIO, end: int) -> ZipEntry:
    """The next entry of the directory, which ends there; where its bytes begin is not known yet."""
    numbers = _read(file, _LISTED_FIELDS)
    signature, _, _, flags, method, _, _, crc, packed, nbytes, *lengths, disk, _, attributes, header = numbers
    name_length, extra_length, comment_length = lengths
    if signature != _LISTED or file.tell() + sum(lengths) > end:
        raise DamagedZip("its zip directory is damaged")
    if max(name_length, extra_length) > _LONGEST_FIELD:
        raise DamagedZip("a name in it is too long")
    raw_name = file.read(name_length)
    nbytes, packed, header = _widened(file.read(extra_length), nbytes, packed, header)
    file.seek(comment_length, 1)
    return ZipEntry(raw_name, flags, method, crc, packed, nbytes, disk, attributes, header, start=0)


def _widened(extra: bytes, *fields: int) -> list[int]:
    """The numbers, with those of the zip64 field in place of the full ones."""
    wide = b""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            wide = extra[at + 4 : at + 4 + length]
            break
        at += 4 + length
    widened = []
    for number in fields:
        if number == _IN_ZIP64:
            if len(wide) < 8:
                raise DamagedZip("its zip directory lacks a zip64 length")
            number, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        widened.append(number)
    return widened


def _located(file: BinaryIO, entry: ZipEntry, end: int) -> ZipEntry:
    """The entry with the place of its bytes, which must end there at the latest."""
    # The last one may say to lie anywhere, even where no file can be read.
    file.seek(min(entry.header, end))
    signature, _, flags, method, *_, name_length, extra_length = _read(file, _HEADER_FIELDS)
    if signature != ENTRY:
        raise _damaged(entry, "is not where its zip directory says")
    if method != entry.method or flags & _ENCRYPTED:
        raise _damaged(entry, "contradicts its zip directory")
    if file.read(name_length) != entry.raw_name:
        raise _damaged(entry, "has another name than its zip directory tells")
    start = entry.header + _HEADER_FIELDS.size + name_length + extra_length
    if start + entry.packed > end:
        raise _damaged(entry, "overlaps what follows it")
    return replace(entry, start=start)


def _damaged(entry: ZipEntry, why: str) -> DamagedZip:
    return DamagedZip(f"“{shown(entry.raw_name.decode('utf-8', 'replace'))}” in it {why}")
