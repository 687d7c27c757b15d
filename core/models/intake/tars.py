"""Reading a tar from its first byte to its last: plain files only, and nothing of it held but one header.

Written by ourselves, since tarfile reads names and headers of any length into memory and follows what they point to.
Formats: POSIX.1-1988 (ustar), POSIX.1-2001 (pax) and GNU's long names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.models.intake.streams import CHUNK, Unfit

BLOCK = 512
# Of all headers with more than a name's hundred bytes together; each record in them takes time.
_LONGEST_EXTENSIONS = 4 << 20
_MOST_EXTENSIONS = 4
_FILES, _FOLDER = (b"0", b"\0", b"7"), b"5"
_KINDS = {
    b"1": "a hard link", b"2": "a link", b"3": "a device", b"4": "a device", b"6": "a pipe", b"S": "a sparse file",
}  # fmt: skip


@dataclass(frozen=True)
class TarEntry:
    """A file of a tar; its bytes come in order, and what is left of them is passed over for the next entry.

    name: as it is written, halves of characters for bytes that are no UTF-8. nbytes: as declared.
    """

    name: str
    nbytes: int
    is_folder: bool
    chunks: Iterator[bytes]


def is_tar(start: bytes) -> bool:
    """Whether a file begins with the header of a tar: its checksum says so."""
    return len(start) >= BLOCK and any(start[:BLOCK]) and _has_checksum(start[:BLOCK])


def tar_entries(stream: Iterable[bytes]) -> Iterator[TarEntry]:
    """The files and folders of a tar, given its bytes in pieces of any length.

    Raises Unfit for links, devices, pipes and sparse files, for headers that are damaged or lie, for a tar that ends
    too early, and for one that goes on after its end.
    """
    reader = _Reader(stream)
    while (header := reader.exactly(BLOCK)).strip(b"\0"):
        extended: dict[str, str] = {}
        for _ in range(_MOST_EXTENSIONS):
            if (kind := header[156:157]) not in (b"L", b"K", b"x", b"g"):
                break
            extended |= _extension(kind, reader.padded(_size(header, {})))
            header = reader.exactly(BLOCK)
        entry = _entry(header, extended, reader)
        yield entry
        for _ in entry.chunks:
            pass
        reader.exactly(-entry.nbytes % BLOCK)
    if any(chunk.strip(b"\0") for chunk in reader.rest()):
        raise Unfit("something follows its end")


class _Reader:
    """Pieces of any length, taken as they are asked for."""

    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = iter(stream)
        self._held = b""
        self._extensions = 0

    def some(self, most: int) -> bytes:
        """The next bytes, at least one; Unfit where there are none."""
        while not self._held:
            chunk = next(self._stream, None)
            if chunk is None:
                raise Unfit("it ends too early")
            self._held = chunk
        piece, self._held = self._held[:most], self._held[most:]
        return piece

    def exactly(self, nbytes: int) -> bytes:
        """The next bytes, so many."""
        pieces = []
        while nbytes:
            pieces.append(self.some(nbytes))
            nbytes -= len(pieces[-1])
        return b"".join(pieces)

    def padded(self, nbytes: int) -> bytes:
        """The data of a header, which fills whole blocks."""
        self._extensions += nbytes
        if self._extensions > _LONGEST_EXTENSIONS:
            raise Unfit("its headers are too long")
        return self.exactly(nbytes + -nbytes % BLOCK)[:nbytes]

    def chunks(self, nbytes: int) -> Iterator[bytes]:
        """The next bytes, so many, in pieces."""
        while nbytes:
            piece = self.some(min(nbytes, CHUNK))
            nbytes -= len(piece)
            yield piece

    def rest(self) -> Iterator[bytes]:
        """All that is left."""
        yield self._held
        yield from self._stream


def _entry(header: bytes, extended: dict[str, str], reader: _Reader) -> TarEntry:
    name = extended.get("path", _name(header))
    nbytes = _size(header, extended)
    kind = header[156:157]
    if any(key.startswith("GNU.sparse") for key in extended):
        kind = b"S"
    if kind not in (*_FILES, _FOLDER):
        raise Unfit(f"it holds {_KINDS.get(kind, 'what is neither a file nor a folder')}")
    is_folder = kind == _FOLDER or name.endswith("/")
    if is_folder and nbytes:
        raise Unfit("a folder in it has a length")
    return TarEntry(name, nbytes, is_folder, reader.chunks(nbytes))


def _extension(kind: bytes, data: bytes) -> dict[str, str]:
    """What a header says of the next one; what a global one says must not matter here."""
    if kind == b"K":
        return {}
    if kind == b"L":
        return {"path": _text(data.rstrip(b"\0"))}
    records = dict(_records(data))
    if kind == b"g":
        if records.keys() & {"path", "size"} or any(key.startswith("GNU.sparse") for key in records):
            raise Unfit("a header of it speaks for all files")
        return {}
    return records


def _records(data: bytes) -> Iterator[tuple[str, str]]:
    """The records of a pax header, each "length key=value" with a line's end, whose length counts itself."""
    at = 0
    while at < len(data):
        digits = data[at : at + 8].split(b" ", 1)[0]
        length = int(digits) if digits.isdigit() else 0
        record = data[at : at + length]
        key, is_pair, value = record[len(digits) + 1 : -1].partition(b"=")
        if len(record) != length or not record.endswith(b"\n") or not is_pair:
            raise Unfit("a header of it is damaged")
        yield _text(key), _text(value)
        at += length


def _name(header: bytes) -> str:
    name = _until_zero(header[:100])
    # GNU keeps times in the place of the prefix.
    prefix = _until_zero(header[345:500]) if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _size(header: bytes, extended: dict[str, str]) -> int:
    if not _has_checksum(header):
        raise Unfit("a header of it is damaged")
    if "size" in extended:
        digits = extended["size"]
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
            raise Unfit("a size in it is no number")
        return int(digits)
    return _number(header[124:136])


def _has_checksum(header: bytes) -> bool:
    """Whether the sum of the header's bytes is what it says, with its own place taken for spaces."""
    try:
        told = _number(header[148:156])
    except Unfit:
        return False
    return told == sum(header[:148]) + sum(header[156:BLOCK]) + 8 * ord(" ")


def _number(field: bytes) -> int:
    """Octal digits, or GNU's binary number marked by its first bit; a negative one is refused."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\0 ")
    if digits and not all(digit in b"01234567" for digit in digits):
        raise Unfit("a size in it is no number")
    return int(digits or b"0", 8)


def _until_zero(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
