import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import _TYPES, save_file

from core.errors import HeadlightError
from core.models.checking_files import header_of
from core.models.checking_files.entries import LONGEST_NAME
from core.models.checking_files.safetensors_header import FORMATS, LONGEST_HEADER
from tests.models.checking_files.good_files import SHAPES, TENSORS, safetensors_file
from tests.sentences import refused

ONE = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def written(path: Path, header: Any, data: bytes = b"") -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + data)
    return path


def test_a_good_file_is_told_as_it_is(tmp_path: Path) -> None:
    path = safetensors_file(tmp_path / "model.safetensors")
    header = header_of(path)
    assert {name: (entry.dtype, entry.shape) for name, entry in header.tensors.items()} == SHAPES
    assert header.metadata == {"format": "pt"}
    assert header.nbytes == path.stat().st_size


def test_the_bytes_lie_where_it_says(tmp_path: Path) -> None:
    path = safetensors_file(tmp_path / "model.safetensors")
    entry = header_of(path).tensors["layer.weight"]
    held = torch.frombuffer(bytearray(path.read_bytes()[entry.start : entry.end]), dtype=torch.float32)
    assert torch.equal(held.reshape(entry.shape), TENSORS["layer.weight"])


def test_a_file_without_tensors_is_one(tmp_path: Path) -> None:
    save_file({}, tmp_path / "a")
    assert header_of(tmp_path / "a").tensors == {}


def test_a_link_to_a_file_is_followed_as_in_the_hub_cache(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(safetensors_file(tmp_path / "blob"))
    assert header_of(tmp_path / "link") == header_of(tmp_path / "blob")


def test_the_number_formats_are_those_of_the_library() -> None:
    for name, dtype in FORMATS.items():
        assert _TYPES.get(name, getattr(torch, dtype)) is getattr(torch, dtype)


@pytest.mark.parametrize(
    ("header", "data", "told"),
    [
        (b"", b"", "no JSON object"),
        (b'{"a": ', b"", "no JSON from its character"),
        (b"[]", b"", "no JSON object"),
        (b'{"\xff": 1}', b"", "no UTF-8"),
        (b'{"a":' * 100_000, b"", "nested too deeply"),
        (b'{"a":' + b"[" * 2_000_000, b"", "more parts"),
        (b'{"a":[' + b"1," * 2_000_000, b"", "more parts"),
        (b'{"a": 1, "a": 2}', b"", "names “a” twice"),
        (b'{"a": {"dtype": "F32", "dtype": "F64"}}', b"", "names “dtype” twice"),
        (b'{"a": NaN}', b"", "“NaN”"),
        (b'{"a": -Infinity}', b"", "“-Infinity”"),
        (b'{"a": 1e999}', b"", "“1e999”"),
        (b'{"a": ' + b"9" * 5_000 + b"}", b"", "a number of 5,000 digits"),
        ({"a": 3}, b"", "not described"),
        ({"a": ONE | {"more": 1}}, bytes(4), "not described"),
        ({"a": ONE | {"dtype": "F33"}}, bytes(4), "unknown number format “F33”"),
        ({"a": ONE | {"dtype": ["F32"]}}, bytes(4), "unknown number format"),
        ({"a": ONE | {"shape": 4}}, bytes(4), "no list of whole numbers"),
        ({"a": ONE | {"shape": "1"}}, bytes(4), "no list of whole numbers"),
        ({"a": ONE | {"shape": [True]}}, bytes(4), "no list of whole numbers"),
        ({"a": ONE | {"shape": [-1]}}, bytes(4), "no list of whole numbers"),
        ({"a": ONE | {"shape": [2**64 - 1]}}, bytes(4), "no list of whole numbers"),
        ({"a": ONE | {"shape": [1] * 40}}, bytes(4), "40 dimensions"),
        ({"a": ONE | {"shape": [2**40, 2**40]}}, bytes(4), "more numbers than any file"),
        ({"a": ONE | {"shape": [0, 2**62], "data_offsets": [0, 0]}}, b"", "more numbers than any file"),
        ({"a": ONE | {"shape": [2**40]}}, bytes(4), "needs 4,398,046,511,104 bytes"),
        ({"a": ONE | {"data_offsets": [0]}}, bytes(4), "no two whole numbers"),
        ({"a": ONE | {"data_offsets": [0, "4"]}}, bytes(4), "no two whole numbers"),
        ({"a": ONE | {"data_offsets": [4, 0]}}, bytes(4), "-4 by its offsets"),
        ({"a": ONE, "b": ONE}, bytes(4), "overlaps the tensor before it by 4 bytes"),
        ({"a": ONE, "b": ONE | {"data_offsets": [2, 6]}}, bytes(6), "overlaps"),
        ({"a": ONE | {"data_offsets": [4, 8]}}, bytes(8), "the 4 bytes before “a” belong to no tensor"),
        ({"a": ONE | {"data_offsets": [2**60, 2**60 + 4]}}, bytes(4), "after the file does"),
        ({"a": ONE}, bytes(3), "ends 1 bytes after the file does"),
        ({"a": ONE}, bytes(9), "the 5 bytes after its last tensor"),
        ({"": ONE}, bytes(4), "has no name"),
        ({"n" * 4_096: ONE}, bytes(4), f"4,096 characters and {LONGEST_NAME} are allowed"),
        ({"a\nb": ONE}, bytes(4), r"“a\nb”"),
        ({"\u202eb": ONE}, bytes(4), r"“\u202eb”"),
        ({"\ud800": ONE}, bytes(4), r"“\ud800”"),
        ({"__metadata__": {"a": 1}}, b"", "more than texts"),
        ({"__metadata__": []}, b"", "more than texts"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, header: Any, data: bytes, told: str) -> None:
    path = written(tmp_path / "model.safetensors", header, data)
    with refused("“model.safetensors” is not opened", told):
        header_of(path)


@pytest.mark.parametrize("length", [2, LONGEST_HEADER + 1, 2**63, 2**64 - 1])
def test_a_claimed_length_costs_nothing(tmp_path: Path, length: int) -> None:
    (tmp_path / "a").write_bytes(length.to_bytes(8, "little") + b"{")
    tracemalloc.start()
    with refused("claims"):
        header_of(tmp_path / "a")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_header_of_a_huge_file_is_bounded(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.write((LONGEST_HEADER + 1).to_bytes(8, "little") + b"{")
        file.truncate(1 << 30)
    with refused("16,777,216 are allowed"):
        header_of(tmp_path / "a")


def test_more_tensors_than_a_model_has_are_refused(tmp_path: Path) -> None:
    part = b'{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    many = b",".join(b'"%d":%b' % (number, part) for number in range(100_001))
    with refused("100,001 tensors"):
        header_of(written(tmp_path / "a", b"{" + many + b"}"))


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with refused("no regular file"):
        header_of(tmp_path / "pipe")
    with refused("cannot be read from the disk"):
        header_of(tmp_path / "nothing")
    with refused("“folder”"):
        (tmp_path / "folder").mkdir()
        header_of(tmp_path / "folder")


def test_the_name_of_the_file_is_told_escaped_and_shortened(tmp_path: Path) -> None:
    path = tmp_path / ("x\n\u202e" + "y" * 200)
    path.write_bytes(b"")
    with refused(r"“x\n\u202eyyy", "y…y"):
        header_of(path)


def test_a_name_of_nothing_but_escapes_is_shortened_too(tmp_path: Path) -> None:
    with pytest.raises(HeadlightError) as caught:
        header_of(written(tmp_path / "a", {"\U000e0001" * 100: ONE}, bytes(4)))
    assert r"“\U000e0001" in str(caught.value)
    assert len(str(caught.value)) < 200
