"""The few kinds of Protocol Buffers that SentencePiece's files are made of, read with every length checked.

Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from core.models.checking_files.telling import Wrong

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_VARINT = 10

Value = int | float | bytes


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each field of a message: whole numbers, numbers of 32 bits, bytes. Raises Wrong."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        kind = key & 7
        value: Value
        if kind == _VARINT:
            value, place = _varint(data, place)
        elif kind == _BYTES:
            length, place = _varint(data, place)
            value, place = _taken(data, place, length), place + length
        elif kind == _FIXED32:
            value, place = struct.unpack("<f", _taken(data, place, 4))[0], place + 4
        elif kind == _FIXED64:
            value, place = _taken(data, place, 8), place + 8
        else:
            raise Wrong("it is no SentencePiece model")
        yield key >> 3, value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for i, byte in enumerate(data[place : place + _MOST_VARINT]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            return value, place + i + 1
    raise Wrong("it is no SentencePiece model, or cut off")


def _taken(data: bytes, place: int, length: int) -> bytes:
    if length > len(data) - place:
        raise Wrong("it is no SentencePiece model, or cut off")
    return data[place : place + length]
