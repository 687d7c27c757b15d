"""The header of a GGUF file, read by ourselves with every count checked against the bytes that are left.

The gguf package believes a file's counts, and unfolds each array into one object a value.
Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from core.models.checking_files.entries import (
    LONGEST_NAME,
    TensorEntry,
    check_tensor_count,
    checked_name,
    checked_shape,
)
from core.models.checking_files.gguf_types import ARRAY, BLOCK_FORMATS, TEXT, UINT32, VALUE_BYTES
from core.models.checking_files.telling import Wrong, distrusted, quoted

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_KEYS = 10_000
# A vocabulary of 260,000 tokens with its scores, types and merges has 1.3 million.
MOST_VALUES = 4_000_000
LONGEST_TEXT = 1 << 24
# A letter has up to four bytes.
_LONGEST_KEPT = 4 * LONGEST_NAME
DEEPEST = 2
MOST_GGUF_DIMENSIONS = 4
ARCHITECTURE, ALIGNMENT = "general.architecture", "general.alignment"
_DEFAULT_ALIGNMENT, _LARGEST_ALIGNMENT = 32, 1 << 16
# The shortest key with its value, and the shortest description of a tensor.
_KEY_BYTES, _TENSOR_BYTES = 8 + 1 + 4 + 1, 8 + 1 + 4 + 4 + 8
_CONVERT = "convert the model once more with llama.cpp's convert_hf_to_gguf.py"


@dataclass(frozen=True)
class GgufHeader:
    """What a GGUF file holds.

    architecture  as the file names it: "llama"
    tensors       by name, quantised ones with GGUF's name of the format
    keys          names of the values beside the tensors
    nbytes        the file's size
    """

    version: int
    architecture: str
    tensors: dict[str, TensorEntry]
    keys: tuple[str, ...]
    nbytes: int


@dataclass
class _Reader:
    """A file read from front to back, never past its end, and the array values that may still come."""

    file: BinaryIO
    nbytes: int
    place: int = 0
    values: int = field(default=MOST_VALUES)

    @property
    def left(self) -> int:
        return self.nbytes - self.place

    def take(self, count: int) -> bytes:
        self._go(count)
        data = self.file.read(count)
        if len(data) != count:
            raise Wrong("it ends within its header")
        return data

    def skip(self, count: int) -> None:
        self._go(count)
        self.file.seek(count, 1)

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def text(self) -> str:
        """Kept, so it must be a name."""
        length = self.u64()
        if length > self.left:
            raise Wrong(f"it claims a text of {length:,} bytes where {self.left:,} are left")
        if length > _LONGEST_KEPT:
            raise Wrong(f"it holds a name of {length:,} bytes and {_LONGEST_KEPT:,} are allowed")
        try:
            return checked_name(self.take(length).decode("utf-8"))
        except UnicodeDecodeError as error:
            raise Wrong("a name in it is no UTF-8") from error

    def skip_text(self) -> None:
        length = self.u64()
        if length > min(self.left, LONGEST_TEXT):
            raise Wrong(f"it claims a text of {length:,} bytes where {min(self.left, LONGEST_TEXT):,} are allowed")
        self.skip(length)

    def _go(self, count: int) -> None:
        if count > self.left:
            raise Wrong("it ends within its header")
        self.place += count


def gguf_of(path: Path) -> GgufHeader:
    """Read and check the header of a GGUF file; no tensor is read, and nothing is dequantised.

    Raises HeadlightError, one sentence, for a file that does not keep to the format.
    """
    with distrusted(path) as (file, nbytes):
        reader = _Reader(file, nbytes)
        version = _version(reader)
        tensor_count, key_count = struct.unpack("<QQ", reader.take(16))
        _check_counts(tensor_count, key_count, reader.left)
        keys, architecture, alignment = _keys(reader, key_count)
        told = [_described(reader) for _ in range(tensor_count)]
        return GgufHeader(version, architecture, _placed(told, reader, alignment), keys, nbytes)


def _version(reader: _Reader) -> int:
    if reader.nbytes < 24 or reader.take(4) != MAGIC:
        raise Wrong("it does not begin as a GGUF file does")
    version = reader.u32()
    if version & 0xFFFF == 0:
        raise Wrong("it was written for machines with the other order of bytes", _CONVERT)
    if version not in VERSIONS:
        raise Wrong(f"it has version {version:,} of GGUF and versions 2 and 3 are read", _CONVERT)
    return version


def _check_counts(tensors: int, keys: int, left: int) -> None:
    if tensors > left // _TENSOR_BYTES:
        raise Wrong(f"it claims {tensors:,} tensors where {left:,} bytes are left")
    if keys > left // _KEY_BYTES:
        raise Wrong(f"it claims {keys:,} keys where {left:,} bytes are left")
    check_tensor_count(tensors)
    if keys > MOST_KEYS:
        raise Wrong(f"it declares {keys:,} keys and {MOST_KEYS:,} are allowed")


def _keys(reader: _Reader, count: int) -> tuple[tuple[str, ...], str, int]:
    """The keys, the architecture and the alignment of the tensors."""
    keys: dict[str, None] = {}
    architecture, alignment = "", _DEFAULT_ALIGNMENT
    for _ in range(count):
        key, kind = reader.text(), reader.u32()
        if key in keys:
            raise Wrong(f"it names the key {quoted(key)} twice")
        keys[key] = None
        if key == ARCHITECTURE and kind == TEXT:
            architecture = reader.text()
        elif key == ALIGNMENT:
            alignment = _alignment(reader, kind)
        else:
            _skip_value(reader, key, kind, 0)
    if not architecture:
        raise Wrong(f"it does not say its architecture in {ARCHITECTURE}", _CONVERT)
    return tuple(keys), architecture, alignment


def _alignment(reader: _Reader, kind: int) -> int:
    alignment = reader.u32() if kind == UINT32 else 0
    if not 0 < alignment <= _LARGEST_ALIGNMENT or alignment & (alignment - 1):
        raise Wrong(f"its {ALIGNMENT} is no power of two up to {_LARGEST_ALIGNMENT:,}")
    return alignment


def _skip_value(reader: _Reader, key: str, kind: int, depth: int) -> None:
    if kind in VALUE_BYTES:
        reader.skip(VALUE_BYTES[kind])
    elif kind == TEXT:
        reader.skip_text()
    elif kind == ARRAY:
        _skip_array(reader, key, depth + 1)
    else:
        raise Wrong(f"the key {quoted(key)} has the unknown type {kind:,}")


def _skip_array(reader: _Reader, key: str, depth: int) -> None:
    if depth > DEEPEST:
        raise Wrong(f"the key {quoted(key)} holds arrays within arrays more than {DEEPEST} deep")
    kind, count = reader.u32(), reader.u64()
    # A text is at least its length, an array its type and length.
    least = VALUE_BYTES.get(kind, 8 if kind == TEXT else 12)
    if count > reader.left // least:
        raise Wrong(f"the key {quoted(key)} claims an array of {count:,} values where {reader.left:,} bytes are left")
    reader.values -= count
    if reader.values < 0:
        raise Wrong(f"its arrays hold more than {MOST_VALUES:,} values")
    if kind in VALUE_BYTES:
        reader.skip(count * VALUE_BYTES[kind])
        return
    for _ in range(count):
        _skip_value(reader, key, kind, depth)


def _described(reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
    """A tensor's name, shape, format number and offset."""
    name, dimensions = reader.text(), reader.u32()
    if dimensions > MOST_GGUF_DIMENSIONS:
        raise Wrong(f"{quoted(name)} has {dimensions:,} dimensions and {MOST_GGUF_DIMENSIONS} are allowed")
    shape = struct.unpack(f"<{dimensions}Q", reader.take(8 * dimensions))
    # GGUF counts the fastest dimension first.
    return name, checked_shape(name, shape[::-1]), reader.u32(), reader.u64()


def _placed(
    told: list[tuple[str, tuple[int, ...], int, int]], reader: _Reader, alignment: int
) -> dict[str, TensorEntry]:
    """The tensors, each of which must begin where the one before it ended, rounded up, as llama.cpp has it."""
    begin = _rounded(reader.place, alignment)
    tensors: dict[str, TensorEntry] = {}
    place = 0
    for name, shape, number, offset in told:
        if name in tensors:
            raise Wrong(f"two tensors are named {quoted(name)}")
        if number not in BLOCK_FORMATS:
            raise Wrong(f"{quoted(name)} has the unknown number format {number:,}", _CONVERT)
        form = BLOCK_FORMATS[number]
        if (shape[-1] if shape else 1) % form.numbers:
            raise Wrong(
                f"the rows of {quoted(name)} are no multiple of the {form.numbers} numbers of a {form.name} block"
            )
        if offset != place:
            raise Wrong(f"{quoted(name)} lies at {offset:,} where it has to lie at {place:,}, in order and aligned")
        entry = TensorEntry(form.name, shape, begin + offset, 0)
        size = entry.count // form.numbers * form.nbytes
        if entry.start + size > reader.nbytes:
            raise Wrong(f"{quoted(name)} ends {entry.start + size - reader.nbytes:,} bytes after the file does")
        tensors[name] = TensorEntry(form.name, shape, entry.start, entry.start + size)
        place = _rounded(place + size, alignment)
    return tensors


def _rounded(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment
