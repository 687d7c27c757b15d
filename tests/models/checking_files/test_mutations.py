"""Good files with parts changed, cut, put in, doubled and moved: nothing but HeadlightError, and never slow or large.

HEADLIGHT_FUZZ_EXAMPLES asks for more of them than continuous integration has time for.
"""

from __future__ import annotations

import gc
import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.checking_files import gguf_of, header_of, pickled_of
from tests.examples import examples
from tests.models.checking_files.good_files import gguf_file, safetensors_file, torch_file

EXAMPLES = examples(250)
MOST_SECONDS, MOST_BYTES = 5.0, 64 << 20
INTEGERS = [0, 1, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]
Parts = tuple[bytes, bytes, bytes]


def whole(content: bytes) -> Parts:
    """What lies before the part that is changed, that part, and what lies after it."""
    return b"", content, b""


def json_of(content: bytes) -> Parts:
    length = int.from_bytes(content[:8], "little")
    return b"", content[8 : 8 + length], content[8 + length :]


def pickle_of(content: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return b"", file.read(next(name for name in file.namelist() if name.endswith("data.pkl"))), content


def as_it_is(before: bytes, part: bytes, after: bytes) -> bytes:
    return before + part + after


def with_length(before: bytes, part: bytes, after: bytes) -> bytes:
    return len(part).to_bytes(8, "little") + part + after


def with_checksum(before: bytes, part: bytes, whole: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(made, "w") as file:
        for name in source.namelist():
            file.writestr(name, part if name.endswith("data.pkl") else source.read(name))
    return made.getvalue()


# How a good file is written, which part of it is changed, how it becomes a file again, and who reads it.
KINDS: dict[
    str, tuple[Callable[[Path], Path], Callable[[bytes], Parts], Callable[..., bytes], Callable[[Path], Any]]
] = {
    "safetensors": (safetensors_file, whole, as_it_is, header_of),
    "safetensors, its JSON": (safetensors_file, json_of, with_length, header_of),
    "gguf": (gguf_file, whole, as_it_is, gguf_of),
    "torch": (torch_file, whole, as_it_is, pickled_of),
    "torch, its pickle": (torch_file, pickle_of, with_checksum, pickled_of),
}
FRAGMENTS = [
    b'{"', b'"}', b"[[", b"NaN", b"1e9", b'"a":', b'"shape":[', b"-1", b"9" * 30, b"\\u0000", b"PK\x01\x02", b"GGUF",
    b"cos\nsystem\n", b"\x81", b"R", b"Q", b"(", b"t", b"u", b"b", b"h\x01", b"\x8a\xff", b"X\xff\xff\xff\x7f", b"\x85",
]  # fmt: skip
numbers = st.builds(
    lambda value, width: (value % (1 << 8 * width)).to_bytes(width, "little"),
    st.sampled_from(INTEGERS),
    st.sampled_from([1, 2, 4, 8]),
)
pieces = st.one_of(st.binary(min_size=1, max_size=8), numbers, st.sampled_from(FRAGMENTS))
# Where (as a share of the file), what to do there, with what, over how many bytes.
changes = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["over", "in", "cut", "double", "move", "end"]), pieces, st.integers(1, 64)
    ),
    min_size=1,
    max_size=5,
)


def mutated(content: bytes, changes: list[tuple[float, str, bytes, int]]) -> bytes:
    for share, how, piece, length in changes:
        place = int(share * len(content))
        before, part, after = content[:place], content[place : place + length], content[place + length :]
        content = {
            "over": before + piece + content[place + len(piece) :],
            "in": before + piece + part + after,
            "cut": before + after,
            "double": before + part + part + after,
            "move": part + before + after,
            "end": before,
        }[how]
    return content


@contextmanager
def bounded() -> Iterator[None]:
    """The block must end, and take little memory: so many seconds only an endless loop takes."""
    # Collecting the garbage of torch and hypothesis takes as long as it takes.
    gc.disable()
    tracemalloc.start()
    began = time.thread_time()
    try:
        yield
    finally:
        took, (_, peak) = time.thread_time() - began, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        gc.enable()
    assert took < MOST_SECONDS
    assert peak < MOST_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_file_is_read_or_refused_in_a_sentence(kind: str, tmp_path: Path) -> None:
    write, taken, framed, read = KINDS[kind]
    before, part, after = taken(write(tmp_path / "good").read_bytes())
    path = tmp_path / "mutated"

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(changes)
    def check(changes: list[tuple[float, str, bytes, int]]) -> None:
        path.write_bytes(framed(before, mutated(part, changes), after))
        with bounded():
            message = told(read, path)
        assert message is None or message.startswith("The file “mutated” is not opened, because ")
        assert message is None or (message.isprintable() and len(message) < 400)

    check()


def told(read: Callable[[Path], Any], path: Path) -> str | None:
    try:
        read(path)
    except HeadlightError as error:
        return str(error)
    return None
