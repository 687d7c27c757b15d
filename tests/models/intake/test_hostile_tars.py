"""Each hostile tar is refused with its sentence, and nothing of it stays."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable

import pytest

from core.models.intake import Intake, Limits, unpack
from tests.models.intake.packed import COMPRESSIONS, member, replaced, tar_header, tar_of, tarred
from tests.sentences import refused

Refuse = Callable[..., None]
END = bytes(1_024)


def pax(records: dict[str, str], kind: bytes = b"x") -> bytes:
    """The header of POSIX that tells more of the next one, with its data."""
    data = b"".join(record(key, value) for key, value in records.items())
    return tar_header(b"pax", b"%o" % len(data), kind) + data.ljust(-(-len(data) // 512) * 512, b"\0")


def record(key: str, value: str) -> bytes:
    line = f" {key}={value}\n".encode()
    length = len(line) + len(str(len(line)))
    length = len(line) + len(str(length))
    return str(length).encode() + line


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("../x", "another folder"),
        ("a/../../x", "another folder"),
        ("/etc/x", "absolute"),
        ("./../x", "another folder"),
        (".//etc/x", "absolute"),
        ("a\\b", "slash"),
        ("a/b/c/d/e", "folders"),
        ("a\nb", "control"),
        ("c:x", "absolute"),
    ],
)
def test_names_that_lead_elsewhere(name: str, word: str, form: int, refuse: Refuse) -> None:
    refuse(tarred({"good": b"1", name: b"2"}, form), word)


def test_names_that_are_no_text(refuse: Refuse) -> None:
    refuse(tar_header(b"\xff\xfe") + END, "half a character")
    refuse(pax({"path": "a\0b"}) + tar_header() + END, "control")
    refuse(pax({"path": "n" * 4_096}) + tar_header() + END, "4,096 bytes")


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"V", "neither a file nor a folder"),
        (b"\xff", "neither a file nor a folder"),
    ],
)
def test_links_devices_pipes_and_others(kind: bytes, word: str, refuse: Refuse) -> None:
    refuse(tar_of((member("good", b"1"), b"1"), (member("a", kind=kind, target="/etc/passwd"), b"")), word)


def test_writing_through_a_link(refuse: Refuse) -> None:
    link = member("here", kind=tarfile.SYMTYPE, target="/tmp")
    refuse(tar_of((link, b""), (member("here/x", b"1"), b"1")), "a link")


@pytest.mark.parametrize("form", ["GNU.sparse.major", "GNU.sparse.size", "GNU.sparse.map"])
def test_sparse_files_told_by_a_header(form: str, refuse: Refuse) -> None:
    refuse(pax({form: "1"}) + tar_header() + END, "sparse")
    refuse(pax({form: "1"}, b"g") + tar_header() + END, "speaks for all")


def test_two_files_of_one_name(refuse: Refuse) -> None:
    for second in ("a", "A", "a/b"):
        refuse(tar_of((member("a", b"1"), b"1"), (member(second, b"2"), b"2")), "keep one")


@pytest.mark.parametrize(
    ("size", "word"),
    [
        (b"77777777777", "too early"),
        (b"\x80" + b"\x00" * 3 + b"\xff" * 8, "too early"),
        (b"\xff" * 12, "no number"),
        (b"-1", "no number"),
        (b"9", "no number"),
    ],
)
def test_sizes_that_lie(size: bytes, word: str, refuse: Refuse) -> None:
    refuse(tar_header(size=size) + END, word)


@pytest.mark.parametrize(
    ("size", "word"), [("9" * 19, "too early"), ("9" * 5_000, "no number"), ("-1", "no number"), ("x", "no number")]
)
def test_sizes_of_a_longer_header_that_lie(size: str, word: str, refuse: Refuse) -> None:
    refuse(pax({"size": size}) + tar_header() + END, word)


def test_headers_that_lie(refuse: Refuse) -> None:
    refuse(tar_header() + tar_header(checksum=1) + END, "damaged")
    refuse(tar_header(kind=b"5", size=b"10") + END, "a folder in it has a length")
    refuse(tar_header(kind=b"x", size=b"77777777777") + END, "too long")
    refuse(tar_header(kind=b"L", size=b"77777777777") + END, "too long")
    refuse(tar_header(kind=b"L") * 9 + tar_header() + END, "neither a file nor a folder")
    refuse(replaced(pax({"path": "abc"}), b"12 path", b"99 path") + tar_header() + END, "damaged")
    refuse(replaced(pax({"path": "abc"}), b"12 path", b"00 path") + tar_header() + END, "damaged")
    refuse(replaced(pax({"path": "abc"}), b"path=", b"path:") + tar_header() + END, "damaged")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_truncation(compression: str, refuse: Refuse) -> None:
    data = COMPRESSIONS[compression](tarred({"a": bytes(700), "b": bytes(700)}).rstrip(b"\0"))
    for at in {600, len(data) - 9, len(data) - 1, len(data)}:
        refuse(data[:at])


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_something_after_the_end(compression: str, refuse: Refuse) -> None:
    pack = COMPRESSIONS[compression]
    refuse(pack(tarred() + b"#!"), "something follows its end")
    refuse(pack(tarred() + tarred()), "something follows its end")
    refuse(pack(tarred()) + b"#!")


@pytest.mark.parametrize("compression", ["gz", "bz2", "xz"])
def test_bytes_that_differ(compression: str, refuse: Refuse) -> None:
    data = COMPRESSIONS[compression](tarred())
    for at in (len(data) // 2, len(data) - 6):
        refuse(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :], "damaged")


@pytest.mark.parametrize("compression", ["gz", "bz2", "xz"])
def test_what_is_compressed_must_be_a_tar(compression: str, refuse: Refuse) -> None:
    refuse(COMPRESSIONS[compression](b"x" * 5_000), "damaged")
    refuse(COMPRESSIONS[compression](b""))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_stops_at_the_bounds(pack: Callable[[bytes], bytes], refuse: Refuse) -> None:
    refuse(pack(tarred({"bomb": bytes(3_000_000)})), "larger than 1 MB")
    refuse(pack(tarred({".DS_Store": bytes(3_000_000)})), "more than an upload may hold")
    refuse(pack(tarred() + bytes(3_000_000)), "more than an upload may hold")


def test_a_bomb_stops_at_its_ratio(root: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("bomb") / "bomb.tar.bz2"
    file.write_bytes(bz2.compress(tarred({"bomb": bytes(40_000_000)})))
    with Intake(Limits()) as intake:
        with refused("100 times its size"):
            unpack(file, intake)
        assert intake.nbytes == 0


def test_a_dictionary_that_takes_too_much_memory(refuse: Refuse) -> None:
    target = io.BytesIO()
    with lzma.open(target, "wb", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 200 << 20}]) as file:
        file.write(tarred())
    refuse(target.getvalue(), "100 MiB of memory")


def test_more_entries_than_allowed_stop_at_the_bounds(refuse: Refuse) -> None:
    refuse(tar_header(kind=b"5", name=b"x") * 21 + END, "more than 20 files")
    refuse(gzip.compress(tar_header(kind=b"5", name=b"x") * 100_000), "more than 20 files")


def test_pieces_without_end_are_counted(refuse: Refuse) -> None:
    refuse(gzip.compress(tarred()) + gzip.compress(b"") * 100_000, "too many pieces")


def test_nothing_in_it(refuse: Refuse) -> None:
    refuse(tar_header(kind=b"5") + END, "no files")


def test_headers_without_end_are_counted(refuse: Refuse) -> None:
    refuse((pax({"comment": "x" * 300_000}) + tar_header(kind=b"5", name=b"x")) * 15, "too long")
