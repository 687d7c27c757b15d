"""The zip files that torch.save writes, read by ourselves: entries uncompressed, in one folder, and apart.

Anything else that the zip format allows (compression, encryption, comments, entries over one another) is refused, so
that no other reader can see another file in the same bytes.
Source: APPNOTE.TXT of PKWARE, sections 4.3 and 4.5.3.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import BinaryIO

from core.models.checking_files.entries import MOST_TENSORS
from core.models.checking_files.telling import Wrong, quoted

LOCAL = b"PK\x03\x04"
_CENTRAL, _END = b"PK\x01\x02", b"PK\x05\x06"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
# Beside the tensors there are a few small entries.
MOST_ENTRIES = MOST_TENSORS + 1_000
LONGEST_DIRECTORY = 1 << 25
_ENCRYPTED, _STORED, _IN_ZIP64 = 1, 0, 0xFFFFFFFF
_NOT_TORCH = "save it again with torch.save"


@dataclass(frozen=True)
class Part:
    """An entry of the zip: where its own header and its bytes lie in the file, and their checksum."""

    header: int
    start: int
    nbytes: int
    crc: int


def parts_in(file: BinaryIO, nbytes: int) -> dict[str, Part]:
    """The entries by their names without the folder that all of them lie in. Raises Wrong for any other zip file."""
    start, length, count = _directory(file, nbytes)
    if count > MOST_ENTRIES or length > LONGEST_DIRECTORY:
        raise Wrong(f"its zip directory declares {count:,} entries and {MOST_ENTRIES:,} are allowed")
    if start + length > nbytes or 46 * count > length:
        raise Wrong("its zip directory does not fit into the file")
    file.seek(start)
    parts: dict[str, Part] = {}
    for name, part in _entries(file.read(length), count):
        if name in parts:
            raise Wrong(f"its zip directory names {quoted(name)} twice")
        parts[name] = _located(file, name, part, start)
    _check_apart(parts)
    return _without_folder(parts)


def _directory(file: BinaryIO, nbytes: int) -> tuple[int, int, int]:
    """Start, length and count of entries of the directory."""
    tail_length = min(nbytes, 22 + 20)
    file.seek(nbytes - tail_length)
    tail = file.read(tail_length)
    if tail[-22:-18] != _END or tail[-18:-14] != bytes(4) or tail[-2:] != b"\0\0":
        raise Wrong("it is cut short or not the zip file that torch.save writes")
    count, length, start = struct.unpack("<HII", tail[-12:-2])
    if not tail.startswith(_LOCATOR64):
        return start, length, count
    (place,) = struct.unpack("<Q", tail[8:16])
    if place + 56 > nbytes:
        raise Wrong("its zip directory does not fit into the file")
    file.seek(place)
    end = file.read(56)
    if end[:4] != _END64 or end[16:24] != bytes(8):
        raise Wrong("its zip directory is damaged")
    count, length, start = struct.unpack("<QQQ", end[32:56])
    return start, length, count


def _entries(directory: bytes, count: int) -> list[tuple[str, Part]]:
    """Each entry by its full name; where its bytes begin is not known yet."""
    found: list[tuple[str, Part]] = []
    place = 0
    for _ in range(count):
        if directory[place : place + 4] != _CENTRAL or len(directory) < place + 46:
            raise Wrong("its zip directory is damaged")
        flags, method = struct.unpack_from("<HH", directory, place + 8)
        crc, packed, size, name_length, extra, comment = struct.unpack_from("<IIIHHH", directory, place + 16)
        (header,) = struct.unpack_from("<I", directory, place + 42)
        ahead = place + 46 + name_length
        name = _checked(directory[place + 46 : ahead])
        size, packed, header = _widened(directory[ahead : ahead + extra], size, packed, header)
        if directory[place + 34 : place + 36] != b"\0\0":
            raise Wrong("it is one of several zip files that belong together", _NOT_TORCH)
        if "/code/" in name:
            raise Wrong("it is a TorchScript program", "save the state_dict() of its model instead")
        if flags & _ENCRYPTED:
            raise Wrong(f"its part {quoted(name)} is encrypted", _NOT_TORCH)
        if method != _STORED or packed != size:
            raise Wrong(f"its part {quoted(name)} is compressed, which torch.save never does", _NOT_TORCH)
        found.append((name, Part(header, 0, size, crc)))
        place = ahead + extra + comment
    if place != len(directory):
        raise Wrong("its zip directory is damaged")
    return found


def _checked(raw: bytes) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Wrong("the name of a part of it is no UTF-8") from error
    steps = name.split("/")
    if not name.isprintable() or "\\" in name or ":" in name or any(step in ("", ".", "..") for step in steps):
        raise Wrong(f"its part {quoted(name)} is named like a path that leads elsewhere")
    return name


def _widened(extra: bytes, *fields: int) -> tuple[int, int, int]:
    """Size, packed size and header's place, from the zip64 field where the directory has no room for them."""
    place = 0
    wide = b""
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        if kind == 1:
            wide = extra[place + 4 : place + 4 + length]
            break
        place += 4 + length
    values: list[int] = []
    for value in fields:
        if value == _IN_ZIP64:
            if len(wide) < 8:
                raise Wrong("its zip directory is damaged")
            value, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        values.append(value)
    return values[0], values[1], values[2]


def _located(file: BinaryIO, name: str, part: Part, end: int) -> Part:
    """The entry with the place of its bytes, all before `end`."""
    file.seek(min(part.header, end))
    head = file.read(30)
    if len(head) < 30 or head[:4] != LOCAL:
        raise Wrong(f"its part {quoted(name)} is not where the zip directory says")
    name_length, extra = struct.unpack_from("<HH", head, 26)
    raw = name.encode("utf-8")
    if name_length != len(raw) or file.read(name_length) != raw:
        raise Wrong(f"its part {quoted(name)} has another name in the zip directory")
    start = part.header + 30 + name_length + extra
    if start + part.nbytes > end:
        raise Wrong(f"its part {quoted(name)} ends {start + part.nbytes - end:,} bytes after the parts do")
    return replace(part, start=start)


def _check_apart(parts: dict[str, Part]) -> None:
    place = 0
    for name, part in sorted(parts.items(), key=lambda item: item[1].header):
        if part.header < place:
            raise Wrong(f"its part {quoted(name)} lies over another one")
        place = part.start + part.nbytes


def _without_folder(parts: dict[str, Part]) -> dict[str, Part]:
    folders = {name.partition("/")[0] for name in parts}
    if len(folders) != 1 or any("/" not in name for name in parts):
        raise Wrong("its parts do not lie in one folder as torch.save puts them", _NOT_TORCH)
    return {name.partition("/")[2]: part for name, part in parts.items()}
