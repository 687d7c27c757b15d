"""Safetensors written by ourselves: a header, then the tensors' bytes as they lie in another file.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from core.models.checking_files import Header, TensorEntry
from core.models.checking_files.entries import ITEMSIZE
from core.models.checking_files.safetensors_header import FORMATS

CHUNK_BYTES = 1 << 20
CODES = {name: code for code, name in FORMATS.items()}
_ALIGNMENT = 8
Shape = tuple[int, ...]


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


def renamed(source: Path, header: Header, names: Mapping[str, str]) -> Iterator[bytes]:
    """The bytes of a file that holds the tensors of another under new names; those without one are left out."""
    kept = {name: (entry.dtype, entry.shape) for name, entry in header.tensors.items() if name in names}
    order = in_order(kept)
    yield header_bytes((names[name], *kept[name]) for name in order)
    with source.open("rb") as file:
        for name in order:
            entry: TensorEntry = header.tensors[name]
            file.seek(entry.start)
            left = entry.end - entry.start
            while left:
                chunk = file.read(min(left, CHUNK_BYTES))
                if not chunk:
                    raise OSError("the file became shorter while it was read")
                left -= len(chunk)
                yield chunk
