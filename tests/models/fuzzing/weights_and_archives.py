"""Readers of weight files, archives and names: a function of any bytes for each, which raises unless all is well."""

from __future__ import annotations

import io
import json
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_files import gguf_of, header_of, pickled_of, state_dict_in, state_dict_of
from core.models.checking_files.pickled_header import is_zipped
from core.models.intake import Intake, Limits, is_archive, safe_name, safe_path, unpack
from core.models.preparing.change import Change
from core.models.preparing.safetensors_writing import changed
from tests.models.fuzzing import seeds
from tests.models.fuzzing.folders_as_bytes import file_of
from tests.models.fuzzing.keeping import BrokenPromise, check_sentence, refusing, same

BOUNDS = Limits(nbytes=200_000, entries=30, depth=5)
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def read_safetensors(data: bytes, folder: Path) -> None:
    """What is read can be written under other names, and is then the same numbers."""
    path = file_of(folder, "model.safetensors", data)
    with refusing():
        header = header_of(path)
        names = {name: f"wrapped.{number}" for number, name in enumerate(header.tensors) if number != 1}
        written = file_of(folder, "again.safetensors", b"".join(changed(path, header, Change(names))))
        again = header_of(written).tensors
        same({names[n]: _numbers(data, e) for n, e in header.tensors.items() if n in names},
              {name: _numbers(written.read_bytes(), entry) for name, entry in again.items()})  # fmt: skip


def _numbers(data: bytes, entry: Any) -> tuple[str, tuple[int, ...], bytes]:
    return entry.dtype, entry.shape, data[entry.start : entry.end]


def read_safetensors_header(data: bytes, folder: Path) -> None:
    """The bytes are the header alone; its numbers follow as far as it asks for some."""
    try:
        told = json.loads(data)
        ends = [part["data_offsets"][1] for part in told.values() if isinstance(part, dict) and "data_offsets" in part]
        needed = max((end for end in ends if type(end) is int and 0 <= end < 4_096), default=0)
    except (ValueError, RecursionError, AttributeError, TypeError, LookupError):
        needed = 0
    read_safetensors(len(data).to_bytes(8, "little") + data + bytes(needed), folder)


def read_gguf(data: bytes, folder: Path) -> None:
    with refusing():
        gguf_of(file_of(folder, "small.gguf", data))


def read_torch(data: bytes, folder: Path) -> None:
    path = file_of(folder, "net.pt", data)
    with refusing():
        is_zipped(path)
        tensors = pickled_of(path)
        held = state_dict_of(path)
        same(state_dict_in(path), held.path)
        if not tensors or not held.tensors:
            raise BrokenPromise("a file without tensors is read")


def read_pickle(data: bytes, folder: Path) -> None:
    """The bytes are the pickle in a good file whose checksums hold."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(seeds.torch_files()[1])) as source, zipfile.ZipFile(made, "w") as file:
        for name in source.namelist():
            file.writestr(name, data if name.endswith("data.pkl") else source.read(name))
    read_torch(made.getvalue(), folder)


def read_archive(data: bytes, folder: Path) -> None:
    path = file_of(folder, "upload.bin", data)
    with refusing():
        is_archive(path)
    with Intake(BOUNDS) as into:
        try:
            files = unpack(path, into)
            same(sum(file.stat().st_size for file in files), into.nbytes)
            if not all(file.resolve().is_relative_to(into.folder.resolve()) and file.is_file() for file in files):
                raise BrokenPromise(f"unpacked elsewhere: {files!r}")
        except HeadlightError as error:
            check_sentence(str(error))
            same(((), 0), (into.files, into.nbytes))


def read_tar(data: bytes, folder: Path) -> None:
    """The bytes are a tar whose checksums are put right."""
    blocks = bytearray(data)
    for start in range(0, len(blocks) - 511, 512):
        header = blocks[start : start + 512]
        if header[257:262] == b"ustar":
            total = sum(header[:148]) + sum(header[156:]) + 256
            blocks[start + 148 : start + 156] = b"%06o\0 " % total
    read_archive(bytes(blocks), folder)


def read_named_zip(data: bytes, folder: Path) -> None:
    """The bytes are the names, and the attributes, of a good zip's files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number, line in enumerate(data.split(b"\n")[:20]):
            info = zipfile.ZipInfo("a")
            info.filename = line[5:].decode("utf-8", "replace")
            info.external_attr, info.create_system = int.from_bytes(line[:4], "little"), int.from_bytes(line[4:5])
            try:
                archive.writestr(info, b"x" * number)
            except (ValueError, zipfile.LargeZipFile, zipfile.BadZipFile):
                return
    read_archive(made.getvalue(), folder)


def read_path(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "surrogateescape")
    with refusing():
        path = safe_path(text, BOUNDS)
        if path.is_absolute() or ".." in path.parts or any(unicodedata.category(char) in UNSEEN for char in str(path)):
            raise BrokenPromise(f"{path!r} is safe")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    with refusing():
        safe_name(text)
