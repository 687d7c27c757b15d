"""Archives for the tests, good ones as the standard library writes them, to be spoiled byte by byte."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping

FILES: Mapping[str, bytes] = {
    "model/config.json": b'{"model_type": "bert"}',
    "model/weights/model.safetensors": bytes(range(256)) * 40,
    "model/vocab.txt": "[PAD]\n模型\n".encode(),
}
STRIPPED = {name.removeprefix("model/"): data for name, data in FILES.items()}
COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def zipped(files: Mapping[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    """A zip of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.comment = comment
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return target.getvalue()


def zip_of(*entries: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    """A zip of entries with their own attributes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for info, data in entries:
            archive.writestr(info, data)
    return target.getvalue()


def tarred(files: Mapping[str, bytes] = FILES, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of these files."""
    return tar_of(*((member(name, data), data) for name, data in files.items()), form=form)


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    """An entry of a tar."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, target
    return info


def tar_of(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of entries with their own attributes."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def tar_header(name: bytes = b"a", size: bytes = b"0", kind: bytes = b"0", checksum: int | None = None) -> bytes:
    """One header of a tar, with any bytes in its fields and a checksum that fits unless another is given."""
    fields = name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + size.ljust(12, b"\0") + b"00000000000\0"
    rest = (kind + b"\0" * 100 + b"ustar\x0000").ljust(512 - len(fields) - 8, b"\0")
    total = sum(fields + rest) + 8 * 32 if checksum is None else checksum
    return fields + b"%06o\0 " % total + rest


def replaced(data: bytes, old: bytes, new: bytes, count: int = -1) -> bytes:
    """The same bytes with some of them exchanged, which must be there."""
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new, count)
