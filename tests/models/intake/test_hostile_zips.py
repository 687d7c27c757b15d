"""Each hostile zip is refused with its sentence, and nothing of it stays."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest

from tests.models.intake.packed import replaced, zip_of, zipped

Refuse = Callable[..., None]
PACKED = zipped({"a.txt": b"x" * 400})
STORED = zipped({"a.txt": b"x" * 400}, zipfile.ZIP_STORED)
# Where a header keeps its fields: beside the file, and in the directory.
LOCAL = {"flags": 6, "method": 8, "crc": 14, "name": 30}
LISTED = {"flags": 8, "method": 10, "crc": 16, "packed": 20, "nbytes": 24, "offset": 42}
END = {"disk": 4, "here": 8, "count": 10, "size": 12, "offset": 16}


def with_number(data: bytes, header: bytes, at: int, number: int, nbytes: int = 4) -> bytes:
    """The archive with one number of its last such header changed."""
    place = data.rindex(header) + at
    return data[:place] + number.to_bytes(nbytes, "little") + data[place + nbytes :]


def listed(data: bytes, field: str, number: int, nbytes: int = 4) -> bytes:
    return with_number(data, b"PK\x01\x02", LISTED[field], number, nbytes)


def ended(data: bytes, field: str, number: int, nbytes: int = 4) -> bytes:
    return with_number(data, b"PK\x05\x06", END[field], number, nbytes)


def of_kind(kind: int, name: str = "a") -> bytes:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    return zip_of((info, b"/etc/passwd"))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("../x", "another folder"),
        ("a/../../x", "another folder"),
        ("/etc/x", "absolute"),
        ("C:/x", "absolute"),
        ("a\\..\\x", "slash"),
        ("a/b/c/d/e", "folders"),
        ("a//b", "empty"),
        ("__MACOSX/../../x", "another folder"),
        ("a\nb", "control"),
        ("a\u202eb", "invisible"),
        ("n" * 4_096, "4,096 bytes"),
        ("../folder/", "another folder"),
    ],
)
def test_names_that_lead_elsewhere(name: str, word: str, refuse: Refuse) -> None:
    refuse(zipped({"good": b"1", name: b""}), word)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_devices_and_pipes(kind: int, refuse: Refuse) -> None:
    refuse(of_kind(kind), "a link, a device or a pipe")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("first", "second"), [("a", "a"), ("a", "A"), ("e\u0301", "\u00e9"), ("a", "a/b")])
def test_two_files_of_one_name(first: str, second: str, refuse: Refuse) -> None:
    refuse(zip_of((zipfile.ZipInfo(first), b"1"), (zipfile.ZipInfo(second), b"2")), "keep one")


def test_encrypted_files(refuse: Refuse) -> None:
    refuse(listed(PACKED, "flags", 1, 2), "encrypted")
    refuse(with_number(PACKED, b"PK\x03\x04", LOCAL["flags"], 1, 2), "contradicts")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_are_rarely_used(method: int, refuse: Refuse) -> None:
    refuse(zipped(method=method), "neither stored nor deflated")


@pytest.mark.parametrize("data", [PACKED, STORED])
def test_checksums_that_differ(data: bytes, refuse: Refuse) -> None:
    refuse(listed(data, "crc", 1), "checksum")


def test_bytes_that_differ(refuse: Refuse) -> None:
    refuse(replaced(STORED, b"x" * 400, b"x" * 399 + b"y"), "checksum")


@pytest.mark.parametrize(("nbytes", "word"), [(399, "longer"), (0, "longer"), (401, "shorter"), (999_999, "shorter")])
def test_lengths_that_lie(nbytes: int, word: str, refuse: Refuse) -> None:
    refuse(listed(PACKED, "nbytes", nbytes), word)


@pytest.mark.parametrize("nbytes", [1_000_001, 0xFFFFFFFE])
def test_lengths_beyond_the_bounds(nbytes: int, refuse: Refuse) -> None:
    refuse(listed(PACKED, "nbytes", nbytes), "more than an upload may hold")


def test_packed_lengths_that_lie(refuse: Refuse) -> None:
    packed = len(zlib.compress(b"x" * 400, wbits=-15))
    refuse(listed(PACKED, "packed", packed - 1), "too early")
    refuse(listed(PACKED, "packed", packed + 1), "overlap")
    refuse(listed(STORED, "packed", 5), "cannot be")
    longer = zip_of((zipfile.ZipInfo("a"), b"1"), (zipfile.ZipInfo("b"), b"2"))
    refuse(listed(longer, "offset", 0), "overlap")


def test_something_after_a_packed_file(refuse: Refuse) -> None:
    data = zlib.compress(b"x" * 400, wbits=-15)
    spoiled = replaced(zipped({"a": b"x" * 400, "b": b"y" * 999}, zipfile.ZIP_STORED), b"x" * 400, data.ljust(400))
    for at in (spoiled.index(b"PK\x03\x04") + 8, spoiled.index(b"PK\x01\x02") + 10):
        spoiled = spoiled[:at] + b"\x08\x00" + spoiled[at + 2 :]
    refuse(spoiled, "follows a file's end")


def test_names_that_differ_between_file_and_directory(refuse: Refuse) -> None:
    refuse(replaced(PACKED, b"a.txt", b"b.txt", 1), "another name")


@pytest.mark.parametrize("at", range(0, len(PACKED), 7))
def test_truncation(at: int, refuse: Refuse) -> None:
    refuse(PACKED[:at])


def test_something_before_or_after(refuse: Refuse) -> None:
    refuse(PACKED + b"#!", "something follows it")
    refuse(PACKED[:4] + b"??" + PACKED[4:], "before or after")
    refuse(PACKED + PACKED, "before or after")


def test_counts_that_lie(refuse: Refuse) -> None:
    refuse(ended(PACKED, "count", 0, 2), "several")
    refuse(ended(ended(PACKED, "count", 0, 2), "here", 0, 2), "another number")
    refuse(ended(ended(PACKED, "count", 2, 2), "here", 2, 2), "too early")
    refuse(ended(PACKED, "disk", 1, 2), "several")
    refuse(ended(PACKED, "offset", 1), "does not lie")
    refuse(ended(PACKED, "size", 0xFFFFFFF0), "does not lie")


def zip64(data: bytes, *, count: int = 1, size: int | None = None, shift: int = 0, length: int = 44) -> bytes:
    """The archive with the records of zip64 before its end, which may lie."""
    at = data.rindex(b"PK\x05\x06")
    told, offset = struct.unpack_from("<2L", data, at + 12)
    size = told if size is None else size
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", length, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at + shift, 1)
    return data[:at] + record + locator + data[at:]


def test_zip64_that_lies(refuse: Refuse) -> None:
    full = ended(ended(PACKED, "count", 0xFFFF, 2), "here", 0xFFFF, 2)
    refuse(full, "more than 20")
    refuse(zip64(PACKED, count=2), "contradicts")
    refuse(zip64(full, count=1 << 62), "more than 20")
    refuse(zip64(ended(PACKED, "size", 0xFFFFFFFF), size=1 << 63), "does not lie")
    refuse(zip64(PACKED, shift=1), "zip64")
    refuse(zip64(PACKED, shift=1 << 62), "zip64")
    refuse(zip64(PACKED, length=1 << 62), "zip64")
    refuse(listed(PACKED, "nbytes", 0xFFFFFFFF), "zip64")


def test_more_entries_than_allowed_are_not_even_listed(refuse: Refuse) -> None:
    refuse(zipped({str(number): b"" for number in range(21)}), "more than 20 files")
    million = ended(ended(PACKED, "count", 0xFFFF, 2), "here", 0xFFFF, 2)
    refuse(zip64(million, count=1_000_000), "more than 20 files")


def test_fields_of_endless_length_are_not_read(refuse: Refuse) -> None:
    refuse(zipped({"n" * 60_000: b""}), "too long")
    info = zipfile.ZipInfo("a")
    info.extra = b"\x99\x99\0\0" * 15_000
    refuse(zip_of((info, b"1")), "too long")


def test_a_bomb_stops_at_the_bounds(refuse: Refuse) -> None:
    refuse(zipped({"bomb": bytes(20_000_000)}), "more than an upload may hold")
    refuse(listed(zipped({"bomb": bytes(20_000_000)}), "nbytes", 900_000), "longer than it says")


def test_files_that_share_their_bytes(refuse: Refuse) -> None:
    """A bomb without nesting: many entries of the directory point to one file."""
    data = zipped({"a": b"x" * 40_000})
    start, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    many = data[:end] + data[start:end] * 9 + data[end:]
    many = ended(ended(many, "count", 10, 2), "here", 10, 2)
    refuse(ended(many, "size", (end - start) * 10), "overlap")


def test_files_that_share_their_bytes_behind_what_is_told_beside_their_names(refuse: Refuse) -> None:
    """The header of the first says that the second, header and all, is told beside its name."""
    data = zipped({"a": b"x" * 400, "b": b"y" * 400}, zipfile.ZIP_STORED)
    second = data.rindex(b"PK\x03\x04")
    refuse(data[:28] + (second - 31).to_bytes(2, "little") + data[30:], "“a” in it overlaps")


def test_nothing_in_it(refuse: Refuse) -> None:
    refuse(zipped({}), "no files")
    refuse(zipped({"folder/": b"", "__MACOSX/x": b"1"}), "no files")
