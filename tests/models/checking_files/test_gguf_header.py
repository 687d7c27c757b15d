import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from gguf import GGML_QUANT_SIZES, GGUFReader

from core.models.checking_files import gguf_of
from core.models.checking_files.gguf_types import BLOCK_FORMATS
from tests.models.checking_files.good_files import gguf_file
from tests.sentences import refused

HUGE = 1 << 63
UINT8, UINT32, TEXT, ARRAY = 0, 4, 8, 9


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def key(name: bytes, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def tensor(name: bytes, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def array(kind: int, count: int, values: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, count) + values


ARCHITECTURE = key(b"general.architecture", TEXT, text(b"llama"))


def whole(
    keys: list[bytes],
    tensors: list[bytes],
    data: bytes = b"",
    *,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    tensor_count, key_count = counts or (len(tensors), len(keys))
    head = b"GGUF" + struct.pack("<IQQ", version, tensor_count, key_count) + b"".join(keys) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + data


def test_a_good_file_is_told_as_the_package_reads_it(tmp_path: Path) -> None:
    path = gguf_file(tmp_path / "model.gguf")
    header, reader = gguf_of(path), GGUFReader(path)
    assert (header.version, header.architecture, header.nbytes) == (3, "llama", path.stat().st_size)
    assert header.keys == tuple(name for name in reader.fields if not name.startswith("GGUF."))
    for expected in reader.tensors:
        entry = header.tensors[expected.name]
        assert entry.shape == tuple(int(length) for length in expected.shape[::-1])
        assert (entry.start, entry.end - entry.start) == (expected.data_offset, expected.n_bytes)
    assert [entry.dtype for entry in header.tensors.values()] == ["float32", "Q8_0"]


def test_the_formats_are_those_of_the_package() -> None:
    assert {number: (form.numbers, form.nbytes) for number, form in BLOCK_FORMATS.items()} == {
        int(number): sizes for number, sizes in GGML_QUANT_SIZES.items()
    }
    for number in GGML_QUANT_SIZES:
        name = BLOCK_FORMATS[int(number)].name
        assert name == number.name or (number.name[0] in "FIB" and getattr(torch, name).itemsize)


@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_and_other_alignments_are_read(tmp_path: Path, version: int) -> None:
    keys = [ARCHITECTURE, key(b"general.alignment", UINT32, struct.pack("<I", 8))]
    keys.append(key(b"nested", ARRAY, array(ARRAY, 1, array(UINT8, 2, b"ab"))))
    tensors = [tensor(b"a", (3,), 0, 0), tensor(b"b", (), 0, 16)]
    path = tmp_path / "a"
    path.write_bytes(whole(keys, tensors, bytes(20), version=version))
    header = gguf_of(path)
    assert (header.version, header.keys[-1]) == (version, "nested")
    assert header.tensors["b"].end - header.tensors["a"].start == 20


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "does not begin"),
        (b"GGML" + bytes(100), "does not begin"),
        (whole([ARCHITECTURE], [], version=1), "version 1"),
        (whole([ARCHITECTURE], [], version=3 << 24), "other order of bytes"),
        (whole([ARCHITECTURE], [], counts=(HUGE, 1)), "claims 9,223,372,036,854,775,808 tensors"),
        (whole([ARCHITECTURE], [], counts=(0, HUGE)), "claims 9,223,372,036,854,775,808 keys"),
        (whole([ARCHITECTURE], [], counts=(1, 1)), "has no name"),
        (whole([ARCHITECTURE], [], bytes(1 << 20), counts=(0, 20_000)), "20,000 keys and 10,000"),
        (whole([struct.pack("<Q", HUGE)], [], bytes(99)), "a text of 9,223,372,036,854,775,808 bytes"),
        (whole([key(b"n" * 4_096, UINT8, b"a")], []), "a name of 4,096 bytes"),
        (whole([key(b"\xff", UINT8, b"a")], []), "no UTF-8"),
        (whole([key(b"a\nb", UINT8, b"a")], []), r"“a\nb”"),
        (whole([key(b"", UINT8, b"a")], []), "has no name"),
        (whole([key(b"a", TEXT, struct.pack("<Q", HUGE))], []), "a text of 9,223,372,036,854,775,808 bytes"),
        (whole([key(b"a", 77, b"")], []), "unknown type 77"),
        (whole([key(b"a", ARRAY, array(77, 1))], [], bytes(99)), "unknown type 77"),
        (whole([key(b"a", ARRAY, array(UINT8, HUGE))], []), "array of 9,223,372,036,854,775,808 values"),
        (whole([key(b"a", ARRAY, array(TEXT, HUGE))], []), "array of 9,223,372,036,854,775,808 values"),
        (whole([key(b"a", ARRAY, array(ARRAY, HUGE))], []), "array of 9,223,372,036,854,775,808 values"),
        (whole([key(b"a", ARRAY, array(ARRAY, 1) * 50)], []), "more than 2 deep"),
        (whole([key(b"a", ARRAY, array(UINT8, 4_000_001, bytes(4_000_001)))], []), "more than 4,000,000 values"),
        (whole([ARCHITECTURE, ARCHITECTURE], []), "the key “general.architecture” twice"),
        (whole([key(b"a", UINT8, b"a")], []), "does not say its architecture"),
        (whole([key(b"general.architecture", UINT8, b"a")], []), "does not say its architecture"),
        (whole([ARCHITECTURE, key(b"general.alignment", UINT32, struct.pack("<I", 0))], []), "no power of two"),
        (whole([ARCHITECTURE, key(b"general.alignment", UINT32, struct.pack("<I", 24))], []), "no power of two"),
        (whole([ARCHITECTURE, key(b"general.alignment", UINT32, struct.pack("<I", 1 << 31))], []), "no power of two"),
        (whole([ARCHITECTURE, key(b"general.alignment", TEXT, text(b"x"))], []), "no power of two"),
        (whole([ARCHITECTURE], [tensor(b"a", (1,) * 5, 0, 0)], bytes(4)), "5 dimensions"),
        (whole([ARCHITECTURE], [text(b"a") + struct.pack("<I", 1 << 31)], bytes(99)), "2,147,483,648 dimensions"),
        (whole([ARCHITECTURE], [tensor(b"a", (1 << 40, 1 << 40), 0, 0)], bytes(4)), "more numbers than any file"),
        (whole([ARCHITECTURE], [tensor(b"a", (HUGE, 2), 0, 0)], bytes(4)), "no list of whole numbers"),
        (whole([ARCHITECTURE], [tensor(b"a", (1 << 40,), 0, 0)], bytes(4)), "after the file does"),
        (whole([ARCHITECTURE], [tensor(b"a", (1,), 4, 0)], bytes(4)), "unknown number format 4"),
        (whole([ARCHITECTURE], [tensor(b"a", (33,), 8, 0)], bytes(99)), "no multiple of the 32 numbers"),
        (whole([ARCHITECTURE], [tensor(b"a", (), 8, 0)], bytes(99)), "no multiple of the 32 numbers"),
        (whole([ARCHITECTURE], [tensor(b"a", (1,), 0, HUGE)], bytes(4)), "where it has to lie at 0"),
        (whole([ARCHITECTURE], [tensor(b"a", (1,), 0, 4)], bytes(8)), "where it has to lie at 0"),
        (whole([ARCHITECTURE], [tensor(b"a", (9,), 0, 0), tensor(b"b", (9,), 0, 32)], bytes(99)), "to lie at 64"),
        (whole([ARCHITECTURE], [tensor(b"a", (1,), 0, 0), tensor(b"a", (1,), 0, 32)], bytes(99)), "are named “a”"),
        (whole([ARCHITECTURE], [tensor(b"a", (2,), 0, 0)], bytes(7)), "ends 1 bytes after the file does"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    with refused("“model.gguf” is not opened", told):
        gguf_of(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("part", [lambda n: n - 1, lambda n: n // 2, lambda n: 30, lambda n: 5])
def test_a_file_cut_short_is_refused(tmp_path: Path, part: Callable[[int], int]) -> None:
    content = whole([ARCHITECTURE], [tensor(b"a", (64,), 0, 0)], bytes(256))
    (tmp_path / "a").write_bytes(content[: part(len(content))])
    with refused("“a” is not opened"):
        gguf_of(tmp_path / "a")
