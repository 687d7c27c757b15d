"""What every reader says of a tensor, and the bounds that hold for the tensors of every kind of file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from core.models.checking_files.telling import Wrong, quoted

MOST_TENSORS = 100_000
LONGEST_NAME = 512
# Real tensors have up to six.
MOST_DIMENSIONS = 32
# Bytes of one number, by torch's name of its format.
ITEMSIZE = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e4m3fnuz": 1,
    "float8_e5m2": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1, "int64": 8, "int32": 4, "int16": 2, "int8": 1,
    "uint64": 8, "uint32": 4, "uint16": 2, "uint8": 1, "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip
_MOST_NUMBERS = 1 << 60


@dataclass(frozen=True)
class Stored:
    """A tensor in a file.

    dtype  the number format as torch names it ("float32"), or GGUF's name of a quantised one ("Q4_1")
    shape  as torch has it, slowest dimension first
    """

    dtype: str
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Its numbers."""
        return math.prod(self.shape)

    @property
    def is_real(self) -> bool:
        """Whether it holds fractions, which loading casts to the format asked for."""
        return "float" in self.dtype

    @property
    def is_coarse(self) -> bool:
        """Whether its fractions have 8 bits."""
        return self.dtype.startswith("float8")


@dataclass(frozen=True)
class TensorEntry(Stored):
    """The same, with where its bytes lie. start, end: counted from the file's first byte."""

    start: int
    end: int


def checked_name(name: Any) -> str:
    """A tensor's or key's name, printable and of bounded length, or Wrong."""
    if not isinstance(name, str) or not name:
        raise Wrong("a tensor in it has no name")
    if len(name) > LONGEST_NAME:
        raise Wrong(f"the name {quoted(name)} has {len(name):,} characters and {LONGEST_NAME} are allowed")
    if not name.isprintable():
        raise Wrong(f"the name {quoted(name)} holds characters that cannot be printed")
    return name


def checked_shape(name: str, shape: Any) -> tuple[int, ...]:
    """A tensor's shape of whole numbers from 0 on, few enough to count, or Wrong."""
    if not isinstance(shape, list | tuple):
        raise Wrong(f"the shape of {quoted(name)} is no list of whole numbers")
    if len(shape) > MOST_DIMENSIONS:
        raise Wrong(f"{quoted(name)} has {len(shape):,} dimensions and {MOST_DIMENSIONS} are allowed")
    if not all(map(is_size, shape)):
        raise Wrong(f"the shape of {quoted(name)} is no list of whole numbers")
    # A dimension of 0 must not hide the others.
    if math.prod(max(1, length) for length in shape) > _MOST_NUMBERS:
        raise Wrong(f"{quoted(name)} declares a shape of more numbers than any file can hold")
    return tuple(shape)


def is_size(value: Any) -> bool:
    """Whether a value is a whole number from 0 on that 64 bits hold; True and False are none."""
    return type(value) is int and 0 <= value < 1 << 63


def check_tensor_count(count: int) -> None:
    """Raise Wrong for more tensors than are read."""
    if count > MOST_TENSORS:
        raise Wrong(f"it declares {count:,} tensors and {MOST_TENSORS:,} are allowed")
