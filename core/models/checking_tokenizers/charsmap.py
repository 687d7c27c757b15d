"""SentencePiece's compiled normaliser, checked so that no text can lead its readers out of it.

The map is a double array: a tree of bytes laid over one array of 32-bit units, followed by the texts that its leaves
point to. Its readers follow the units without looking whether they lead out of the array.
Source: https://github.com/s-yata/darts-clone (include/darts.h), and the crate spm_precompiled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# NFKC writes one character as up to 18, in 33 bytes.
LONGEST_REPLACEMENT = 64
MOST_NBYTES = 16 << 20
_UNIT_NBYTES = 4
_LABEL, _LEAF, _VALUE = (1 << 31) | 0xFF, 1 << 8, (1 << 31) - 1
_BYTES = np.arange(1, 256, dtype=np.uint32)

Units = NDArray[np.uint32]


def is_sound(charsmap: bytes) -> bool:
    """Whether every text stays inside a compiled normaliser, and none grows beyond measure by it."""
    if not charsmap:
        return True
    count = int.from_bytes(charsmap[:_UNIT_NBYTES], "little")
    texts = charsmap[_UNIT_NBYTES + count :]
    fits = 0 < count <= len(charsmap) - _UNIT_NBYTES and count % _UNIT_NBYTES == 0
    if not fits or len(charsmap) > MOST_NBYTES or texts[-1:] != b"\0":
        return False
    if any(len(text) > LONGEST_REPLACEMENT for text in texts.split(b"\0")):
        return False
    units = np.frombuffer(charsmap, "<u4", count // _UNIT_NBYTES, _UNIT_NBYTES).astype(np.uint32)
    leaves = _leaves(units)
    return leaves is not None and _begin_characters(leaves, texts)


def _leaves(units: Units) -> Units | None:
    """Where the leaves that texts can reach point to, or None where some text leads out of the array."""
    level = np.unique(_offset(units[:1]))
    seen = np.zeros(len(units), dtype=bool)
    found = []
    while level.size:
        if level.max() >= len(units):
            return None
        level = level[~seen[level]]
        seen[level] = True
        # (N, 1) ^ (255) -> (N, 255)
        places = level[:, None] ^ _BYTES
        if places.size and places.max() >= len(units):
            return None
        reached = units[places]  # (N, 255)
        is_child = (reached & np.uint32(_LABEL)) == _BYTES
        children = reached[is_child]
        below = places[is_child] ^ _offset(children)
        ends = below[(children & np.uint32(_LEAF)) != 0]
        if ends.size and ends.max() >= len(units):
            return None
        found.append(units[ends] & np.uint32(_VALUE))
        level = np.unique(below)
    return np.concatenate(found) if found else np.zeros(0, dtype=np.uint32)


def _offset(units: Units) -> Units:
    """How far a unit's children are: 22 bits, times 256 where bit 9 is set."""
    shift = (units & np.uint32(1 << 9)) >> np.uint32(6)
    return (units >> np.uint32(10)) << shift


def _begin_characters(leaves: Units, texts: bytes) -> bool:
    """Whether each leaf points to the beginning of a character of the texts, which must be UTF-8."""
    try:
        texts.decode("utf-8")
    except UnicodeDecodeError:
        return False
    signs = np.frombuffer(texts, np.uint8)
    return bool((leaves < len(signs)).all()) and bool(((signs[leaves] & 0xC0) != 0x80).all())
