"""The header of a safetensors file, read by ourselves: the library would map the whole file, and says little.

The format: 8 bytes with the header's length, the header as JSON, and then the tensors' bytes without holes or overlaps.
Source: https://huggingface.co/docs/safetensors (its section on the format).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from core.models.checking_files.entries import (
    ITEMSIZE,
    MOST_TENSORS,
    TensorEntry,
    check_tensor_count,
    checked_name,
    checked_shape,
    is_size,
)
from core.models.checking_files.telling import Wrong, distrusted, quoted

# The library allows 100 MB; what JSON of that size unfolds to does not fit beside a model.
LONGEST_HEADER = 1 << 24
METADATA = "__metadata__"
FORMATS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2": "float8_e5m2", "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F8_E8M0": "float8_e8m0fnu", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64",
    "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip
_KEYS = {"dtype", "shape", "data_offsets"}
# Brackets and commas that the largest allowed header needs; each costs up to 64 bytes once read.
_MOST_BRACKETS, _MOST_COMMAS = 4 * MOST_TENSORS, 16 * MOST_TENSORS
_MOST_DIGITS = 20


@dataclass(frozen=True)
class Header:
    """What a safetensors file holds: its tensors by name, its own texts, and its size in bytes."""

    tensors: dict[str, TensorEntry]
    metadata: dict[str, str]
    nbytes: int


def header_of(path: Path) -> Header:
    """Read and check the header of a safetensors file; no tensor is read.

    Raises HeadlightError, one sentence, for a file that does not keep to the format in every point.
    """
    with distrusted(path) as (file, nbytes):
        header, begin = _json(file, nbytes)
        metadata = _metadata(header.pop(METADATA, {}))
        check_tensor_count(len(header))
        tensors = {checked_name(name): _entry(name, part, begin) for name, part in header.items()}
        _check_places(tensors, begin, nbytes)
        return Header(tensors, metadata, nbytes)


def _json(file: BinaryIO, nbytes: int) -> tuple[dict[str, Any], int]:
    """The header as it stands there, and where the tensors' bytes begin."""
    length = int.from_bytes(file.read(8), "little")
    if nbytes < 8 or length > nbytes - 8:
        raise Wrong(f"its header claims {length:,} bytes and the file has {nbytes:,}")
    if length > LONGEST_HEADER:
        raise Wrong(f"its header has {length:,} bytes and {LONGEST_HEADER:,} are allowed")
    raw = file.read(length)
    if not raw.startswith(b"{"):
        raise Wrong("its header is no JSON object")
    if raw.count(b"[") + raw.count(b"{") > _MOST_BRACKETS or raw.count(b",") > _MOST_COMMAS:
        raise Wrong("its header holds more parts than tensors need")
    try:
        header = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except RecursionError as error:
        raise Wrong("its header is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise Wrong("its header is no UTF-8") from error
    except json.JSONDecodeError as error:
        raise Wrong(f"its header is no JSON from its character {error.pos:,} on") from error
    return header, 8 + length


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise Wrong(f"its header names {quoted(twice)} twice")
    return found


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise Wrong(f"its header holds a number of {len(digits):,} digits")
    return int(digits)


def _no_number(text: str) -> NoReturn:
    raise Wrong(f"its header holds {quoted(text)} where only whole numbers are allowed")


def _metadata(said: Any) -> dict[str, str]:
    if not isinstance(said, dict) or not all(isinstance(value, str) for value in said.values()):
        raise Wrong(f"its {METADATA} holds more than texts")
    return said


def _entry(name: str, part: Any, begin: int) -> TensorEntry:
    if not isinstance(part, dict) or set(part) != _KEYS:
        raise Wrong(f"{quoted(name)} is not described by exactly dtype, shape and data_offsets")
    said = part["dtype"]
    if not isinstance(said, str) or said not in FORMATS:
        raise Wrong(f"{quoted(name)} has the unknown number format {quoted(said if isinstance(said, str) else 'none')}")
    dtype, shape, offsets = FORMATS[said], checked_shape(name, part["shape"]), part["data_offsets"]
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_size, offsets)):
        raise Wrong(f"the offsets of {quoted(name)} are no two whole numbers")
    start, end = offsets
    entry = TensorEntry(dtype, shape, begin + start, begin + end)
    if (needed := entry.count * ITEMSIZE[dtype]) != end - start:
        raise Wrong(f"{quoted(name)} needs {needed:,} bytes by its shape and has {end - start:,} by its offsets")
    return entry


def _check_places(tensors: dict[str, TensorEntry], begin: int, nbytes: int) -> None:
    """Each tensor must begin where the one before it ended, and the last must end with the file."""
    place = begin
    for name, entry in sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)):
        if entry.start < place:
            raise Wrong(f"{quoted(name)} overlaps the tensor before it by {place - entry.start:,} bytes")
        if entry.end > nbytes:
            raise Wrong(f"{quoted(name)} ends {entry.end - nbytes:,} bytes after the file does")
        if entry.start > place:
            raise Wrong(f"the {entry.start - place:,} bytes before {quoted(name)} belong to no tensor")
        place = entry.end
    if place != nbytes:
        raise Wrong(f"the {nbytes - place:,} bytes after its last tensor belong to none")
