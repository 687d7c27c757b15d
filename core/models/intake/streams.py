"""Compressed bytes, unpacked piece by piece with every byte counted: no bomb unpacks further than its bounds."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import BinaryIO, Protocol

from core.models.intake.limits import Limits

CHUNK = 64 << 10
# What small archives may unpack to, however well they are packed.
_ALWAYS_ALLOWED = 16 << 20
# For the headers of a tar, above the bytes of its files.
_HEADERS_AN_ENTRY = 4 << 10
# The strongest setting of xz takes 65 MiB to unpack.
_XZ_MEMORY = 100 << 20
# Each of them costs time, even one that holds nothing.
_MOST_MEMBERS = 100_000
_MAGICS = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00"}


class Unfit(Exception):
    """What is wrong with an archive, as the middle of a sentence."""


class Meter:
    """Counts what is read of an archive and what that unpacks to, and holds one against the other."""

    def __init__(self, bounds: Limits, heard: Callable[[int], None]) -> None:
        self._bounds = bounds
        self._heard = heard
        self._read = 0
        self._unpacked = 0

    def read(self, nbytes: int) -> None:
        """So many bytes more of the archive were read."""
        self._read += nbytes
        self._heard(self._read)

    def unpacked(self, nbytes: int) -> None:
        """So many bytes more came out; raises Unfit beyond the bounds."""
        self._unpacked += nbytes
        if self._unpacked > self._bounds.ratio * self._read + _ALWAYS_ALLOWED:
            raise Unfit(f"it unpacks to more than {self._bounds.ratio} times its size")
        if self._unpacked > self._bounds.nbytes + self._bounds.entries * _HEADERS_AN_ENTRY:
            raise Unfit("it unpacks to more than an upload may hold")


def raw_chunks(file: BinaryIO, nbytes: int, meter: Meter) -> Iterator[bytes]:
    """The next bytes of a file, so many; raises Unfit where it ends before."""
    while nbytes:
        chunk = file.read(min(CHUNK, nbytes))
        if not chunk:
            raise Unfit("it ends too early")
        meter.read(len(chunk))
        nbytes -= len(chunk)
        yield chunk


def compression_of(start: bytes) -> str | None:
    """Which of gzip, bzip2 and xz a file begins as."""
    return next((name for name, magic in _MAGICS.items() if start.startswith(magic)), None)


def unpacked(chunks: Iterable[bytes], compression: str, meter: Meter) -> Iterator[bytes]:
    """What a whole gzip, bzip2 or xz file holds, its checksums checked; several in a row are one, as their tools do.

    Raises Unfit, or what the decompressors raise for bytes that are none of theirs.
    """
    member: _Member | None = None
    members = 0
    rest = b""
    for chunk in chunks:
        rest += chunk
        while rest:
            if member is None:
                rest = rest.lstrip(b"\0") if members else rest  # what tapes and xz fill up with
                if not rest:
                    break
                members += 1
                if members > _MOST_MEMBERS:
                    raise Unfit("it is in too many pieces")
                member = _MEMBERS[compression]()
            rest = yield from member.feed(rest, meter)
            if member.ended:
                member = None
    if member is not None or not members:
        raise Unfit("it ends too early")


def deflated(chunks: Iterable[bytes], meter: Meter) -> Iterator[bytes]:
    """What one deflated file of a zip holds; raises Unfit where it ends elsewhere than where the zip says."""
    member = _Deflated(-zlib.MAX_WBITS)
    for chunk in chunks:
        if member.ended:
            raise Unfit("something follows a file's end")
        rest = yield from member.feed(chunk, meter)
        if rest:
            raise Unfit("something follows a file's end")
    if not member.ended:
        raise Unfit("it ends too early")


class _Member(Protocol):
    """One compressed stream, told its bytes as they come."""

    @property
    def ended(self) -> bool:
        """Whether its last byte has come."""

    def feed(self, data: bytes, meter: Meter) -> Generator[bytes, None, bytes]:
        """What these bytes unpack to, in pieces; returns those that came after its end."""


class _Deflated:
    """A stream of zlib, bare or as gzip."""

    def __init__(self, wbits: int) -> None:
        self._decompressor = zlib.decompressobj(wbits)

    @property
    def ended(self) -> bool:
        return self._decompressor.eof

    def feed(self, data: bytes, meter: Meter) -> Generator[bytes, None, bytes]:
        more = True
        while more and not self.ended:
            piece = self._decompressor.decompress(data, CHUNK)
            data = self._decompressor.unconsumed_tail
            meter.unpacked(len(piece))
            yield piece
            # A full piece may have more behind it, although all the bytes have gone in.
            more = bool(data) or len(piece) == CHUNK
        return self._decompressor.unused_data


class _Packed:
    """A stream of bzip2 or xz."""

    def __init__(self, decompressor: bz2.BZ2Decompressor | lzma.LZMADecompressor) -> None:
        self._decompressor = decompressor

    @property
    def ended(self) -> bool:
        return self._decompressor.eof

    def feed(self, data: bytes, meter: Meter) -> Generator[bytes, None, bytes]:
        more = True
        while more and not self.ended:
            piece = self._piece(data)
            data = b""
            meter.unpacked(len(piece))
            yield piece
            more = not self._decompressor.needs_input
        return self._decompressor.unused_data if self.ended else b""

    def _piece(self, data: bytes) -> bytes:
        try:
            return self._decompressor.decompress(data, CHUNK)
        except lzma.LZMAError as error:
            if "emory" in str(error):
                raise Unfit(f"unpacking it takes more than {_XZ_MEMORY >> 20} MiB of memory") from error
            raise


_MEMBERS: dict[str, Callable[[], _Member]] = {
    "gzip": lambda: _Deflated(zlib.MAX_WBITS | 16),
    "bzip2": lambda: _Packed(bz2.BZ2Decompressor()),
    "xz": lambda: _Packed(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)),
}
