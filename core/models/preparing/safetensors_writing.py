"""Safetensors written by ourselves: a header, then the tensors' bytes as they lie in another file.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from core.models.checking_files import Header, TensorEntry
from core.models.checking_files.entries import ITEMSIZE
from core.models.checking_files.safetensors_header import FORMATS
from core.models.preparing.change import Change, Shape

CHUNK_BYTES = 1 << 20
TURNED_BYTES = 1 << 26
CODES = {name: code for code, name in FORMATS.items()}
_ALIGNMENT = 8


def nbytes_of(dtype: str, shape: Shape) -> int:
    """Bytes that a tensor takes in a file. dtype: as torch names it."""
    return math.prod(shape) * ITEMSIZE[dtype]


def header_bytes(tensors: Iterable[tuple[str, str, Shape]]) -> bytes:
    """The beginning of a file that holds these tensors (name, dtype as torch names it, shape), one after the other."""
    described: dict[str, object] = {"__metadata__": {"format": "pt"}}
    place = 0
    for name, dtype, shape in tensors:
        end = place + nbytes_of(dtype, shape)
        described[name] = {"dtype": CODES[dtype], "shape": list(shape), "data_offsets": [place, end]}
        place = end
    written = json.dumps(described, separators=(",", ":"), ensure_ascii=False).encode()
    written += b" " * (-len(written) % _ALIGNMENT)
    return len(written).to_bytes(8, "little") + written


def in_order(tensors: Mapping[str, tuple[str, Shape]]) -> list[str]:
    """Names in the order in which their bytes must follow so that every tensor begins at a multiple of its numbers."""
    return sorted(tensors, key=lambda name: -ITEMSIZE[tensors[name][0]])


def changed(source: Path, header: Header, change: Change) -> Iterator[bytes]:
    """The bytes of a file that holds what a change leaves of another one, and adds."""
    made = change.of({name: (entry.dtype, entry.shape) for name, entry in header.tensors.items()})
    before = {new: old for old, new in change.names.items() if old in header.tensors}
    order = in_order(made)
    yield header_bytes((name, *made[name]) for name in order)
    with source.open("rb") as file:
        for name in order:
            if name in change.zeros:
                yield from _zeros(nbytes_of(*made[name]))
            elif before[name] in change.turned:
                yield from _transposed(file, header.tensors[before[name]])
            else:
                entry = header.tensors[before[name]]
                yield from bytes_between(file, entry.start, entry.end)


def bytes_between(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """A stretch of a file. Raises OSError where the file ends before."""
    file.seek(start)
    while start < end:
        chunk = file.read(min(end - start, CHUNK_BYTES))
        if not chunk:
            raise OSError("the file became shorter while it was read")
        start += len(chunk)
        yield chunk


def _transposed(file: BinaryIO, entry: TensorEntry) -> Iterator[bytes]:
    """The bytes of a matrix with its columns as rows, some at a time: whole, it may not fit into the memory."""
    rows, columns = entry.shape
    size = ITEMSIZE[entry.dtype]
    most = max(1, TURNED_BYTES // (rows * size))
    for first in range(0, columns, most):
        width = min(most, columns - first)
        # Where all columns fit, the rows lie one after the other.
        together = rows if width == columns else 1
        length = (together * columns if width == columns else width) * size
        starts = range(entry.start + first * size, entry.end, together * columns * size)
        taken = b"".join(chunk for start in starts for chunk in bytes_between(file, start, start + length))
        # (rows, width) -> (width, rows)
        yield np.frombuffer(taken, f"V{size}").reshape(rows, width).T.tobytes()


def _zeros(nbytes: int) -> Iterator[bytes]:
    for start in range(0, nbytes, CHUNK_BYTES):
        yield bytes(min(CHUNK_BYTES, nbytes - start))
