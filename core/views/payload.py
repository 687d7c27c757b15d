"""The one message format between Python and the browser components.

A 32-bit little-endian length, a UTF-8 JSON header of that length, then the arrays; each part starts at a multiple of
four bytes. `header["arrays"]` lists name, dtype and shape of the arrays in their order.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

DTYPES = ("uint8", "uint16", "float16", "float32")


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Header and arrays as one message. Raises ValueError for what the browser side does not read: other dtypes, NaN or
    infinity in the header."""
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise ValueError(f"array {name} is {array.dtype.name}, not one of {DTYPES}")
    described = [{"name": name, "dtype": a.dtype.name, "shape": list(a.shape)} for name, a in arrays.items()]
    text = json.dumps(
        {**header, "arrays": described}, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode()
    parts = [struct.pack("<I", len(text)) + text, *(np.ascontiguousarray(a).tobytes() for a in arrays.values())]
    return b"".join(part + bytes(-len(part) % 4) for part in parts)


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a message made by `pack`."""
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(message[4 : 4 + length])
    at = 4 + length + -(4 + length) % 4
    arrays = {}
    for part in header["arrays"]:
        count = int(np.prod(part["shape"], dtype=int))
        array = np.frombuffer(message, dtype=part["dtype"], count=count, offset=at)
        arrays[part["name"]] = array.reshape(part["shape"])
        at += array.nbytes + -array.nbytes % 4
    return header, arrays
