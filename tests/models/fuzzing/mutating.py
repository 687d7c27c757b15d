"""Good inputs with something changed: bytes, values of JSON, or whole files of a folder."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

from tests.models.fuzzing.folders_as_bytes import NAMES, as_bytes, files_in

NUMBERS = (0, 1, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
FRAGMENTS = (
    b'{"', b'"}', b"[[", b"NaN", b"1e9", b'"a":', b"-1", b"9" * 30, b"\\u0000", b"\\ud800", b"PK\x01\x02", b"GGUF",
    b"../", b"\xff\xff\xff\xff", b"cos\nsystem\n", b"\x81", b"R", b"(", b"t", b"u", b"b", b"h\x01", b"\x8a\xff",
    b"X\xff\xff\xff\x7f", b"\x85", b"\n", b"\0", b"\xe2\x80\xae",
)  # fmt: skip
# Values that are of another kind, too large, too deep, or hold what nobody sees.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 1e9, -0.0, 10**9, 2**63, 2**64, 10**400, 0.5, "", "a", "a" * 5_000, "\ud800",
    "\u202e\n", "<script>", "../x", "/etc/passwd", [], {}, [None], [[]], {"": 0}, {"a": {"a": {}}}, ["a", 1], "bert",
    "1", float("nan"), float("inf"), [1, 2], [0, 8], "(a+)+b", {"Regex": "(a|a)*"}, {"type": "Sequence"},
)  # fmt: skip
MOST_CHANGES = 4


def mutated(data: bytes, random: Random) -> bytes:
    """A few changes: of values where the bytes are JSON, and of bytes now and then or where they are not."""
    for _ in range(random.randint(1, MOST_CHANGES)):
        data = _once(data, random)
    return data


def mutated_folder(data: bytes, random: Random) -> bytes:
    """A folder (see `folders_as_bytes`) in which files are changed, called like others, doubled or left out."""
    files = files_in(data)
    for _ in range(random.randint(1, MOST_CHANGES)):
        if not files:
            break
        name, other = random.choice(sorted(files)), random.choice(NAMES)
        match random.randrange(10):
            case 0:
                del files[name]
            case 1:
                files[other] = files[name]
            case 2:
                files[other] = files.pop(name)
            case _:
                files[name] = mutated_safetensors(files[name], random)
    return as_bytes(files)


def mutated_safetensors(data: bytes, random: Random) -> bytes:
    """If the bytes are safetensors, changes in the header that leave its length right, most of the time."""
    end = 8 + int.from_bytes(data[:8], "little")
    if data[8:9] != b"{" or end > len(data) or random.random() < 0.2:
        return mutated(data, random)
    header = mutated(data[8:end], random)
    return len(header).to_bytes(8, "little") + header + data[end:]


def mutated_after_kind(data: bytes, random: Random) -> bytes:
    """The first byte, which says of what kind the others are, stays as it is."""
    return data[:1] + mutated(data[1:], random)


def _once(data: bytes, random: Random) -> bytes:
    if data[:1] in (b"{", b"[") and random.random() < 0.8:
        try:
            return _as_json(_changed(json.loads(data), random))
        except (ValueError, RecursionError):
            pass
    return _bytes_changed(data, random)


def _as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", b"\\ud800")


def _changed(value: Any, random: Random) -> Any:
    """One value somewhere in it is another, is gone, is called otherwise, or lies deeper."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not keys or random.random() < 0.1:
        return _odd(random) if random.random() < 0.8 else [value]
    key = random.choice(keys)
    if random.random() < 0.5:
        value[key] = _changed(value[key], random)
        return value
    match random.randrange(6):
        case 0:
            del value[key]
        case 1 if isinstance(value, dict):
            value[random.choice(["", "a", "\u202e", "x" * 700, *map(str, keys)])] = value.pop(key)
        case 2:
            value[key] = deepcopy(value[random.choice(keys)])
        case 3 if type(value[key]) in (int, float) and abs(value[key]) < 2**64:
            value[key] = random.choice([-value[key], value[key] + 1, value[key] * 2, value[key] + 0.5, str(value[key])])
        case _:
            value[key] = _odd(random)
    return value


def _odd(random: Random) -> Any:
    """A value of its own, which later changes may change."""
    return deepcopy(random.choice(ODD))


def _bytes_changed(content: bytes, random: Random) -> bytes:
    place, length = random.randint(0, len(content)), random.randint(1, 64)
    before, part, after = content[:place], content[place : place + length], content[place + length :]
    number = random.choice(NUMBERS).to_bytes(9, "little")[: random.choice((1, 2, 4, 8))]
    piece = random.choice((number, random.randbytes(random.randint(1, 4)), random.choice(FRAGMENTS)))
    return random.choice(
        (
            before + piece + content[place + len(piece) :], before + piece + content[place + len(piece) :],
            before + piece + part + after, before + after, before + part + part + after, part + before + after, before,
        )
    )  # fmt: skip
