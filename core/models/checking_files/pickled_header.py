"""What a .bin, .pt, .pth or .ckpt file holds, from its directory and its pickle; nothing in it is imported or run."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from core.models.checking_files.entries import ITEMSIZE, Stored, check_tensor_count, checked_name
from core.models.checking_files.pickled_values import ONLY_WEIGHTS, StoredTensor, values_in
from core.models.checking_files.stored_zip import parts_in
from core.models.checking_files.telling import Wrong, distrusted, quoted
from core.models.zip_directory import ENTRY, ZipEntry

LONGEST_PICKLE = 1 << 24
# Under what training programs keep the state dict, the likeliest first.
WRAPPERS = ("state_dict", "model_state_dict", "model", "module", "network", "net")
_DEEPEST = 4
# A network that uses one layer many times names its weights as often.
_MOST_SHARED = 64
_PICKLE = "data.pkl"


@dataclass(frozen=True)
class StateDict:
    """A state dict in a file.

    path     the keys that lead to it; () where the file is one itself
    tensors  by name
    beside   how many values lie beside the tensors, which a state dict as such has none of
    """

    path: tuple[str, ...]
    tensors: dict[str, Stored]
    beside: int


@dataclass(frozen=True)
class _Found:
    path: tuple[str, ...]
    tensors: dict[str, StoredTensor]
    beside: int


def pickled_of(path: Path) -> dict[str, Stored]:
    """The tensors of the state dict in a file of torch.save, by name; no tensor is read.

    A state dict within others, as Lightning and most training programs keep it, is found; `state_dict_in` says where.
    Raises HeadlightError, one sentence, for a file that holds anything which could run as a program, for one of
    several state dicts or none, for one in the format before torch 1.6, and for a damaged one.
    """
    return state_dict_of(path).tensors


def state_dict_in(path: Path) -> tuple[str, ...]:
    """The keys that lead to the state dict in a file of torch.save; () where the file is one itself.

    Raises HeadlightError as `pickled_of` does.
    """
    return state_dict_of(path).path


def state_dict_of(path: Path) -> StateDict:
    """Both at once, with what lies beside the tensors. Raises HeadlightError as `pickled_of` does."""
    found = _state_dict(path)
    tensors = {name: Stored(stored.dtype, stored.shape) for name, stored in found.tensors.items()}
    return StateDict(found.path, tensors, found.beside)


def is_zipped(path: Path) -> bool:
    """Whether a file begins as a zip file does, which torch.save writes since torch 1.6."""
    with distrusted(path) as (file, _):
        return file.read(4) == ENTRY


def pickled_values(path: Path) -> Any:
    """What the pickle of a file of torch.save holds, see `values_in`. Raises HeadlightError as `pickled_of` does."""
    with distrusted(path) as (file, _):
        return values_in(_pickle(file, _parts(file)))


def _parts(file: BinaryIO) -> dict[str, ZipEntry]:
    if file.read(4) != ENTRY:
        raise Wrong(
            "it is not in the zip format that torch writes since version 1.6",
            "save it again with torch.save or as safetensors",
        )
    return parts_in(file)


def _state_dict(path: Path) -> _Found:
    with distrusted(path) as (file, nbytes):
        parts = _parts(file)
        found = _found(values_in(_pickle(file, parts)), (), {})
        if found is None:
            raise Wrong("it holds no state dict, a dict of tensors by name", ONLY_WEIGHTS)
        _check(found.tensors, parts, nbytes)
        return found


def _pickle(file: BinaryIO, parts: dict[str, ZipEntry]) -> bytes:
    if _PICKLE not in parts:
        raise Wrong(f"it has no {_PICKLE}, and so no tensors of torch")
    if "byteorder" in parts and _part(file, parts["byteorder"], 6) != b"little":
        raise Wrong("it was written for machines with the other order of bytes", "save it again as safetensors")
    part = parts[_PICKLE]
    if part.nbytes > LONGEST_PICKLE:
        raise Wrong(f"its pickle has {part.nbytes:,} bytes and {LONGEST_PICKLE:,} are allowed", ONLY_WEIGHTS)
    data = _part(file, part, part.nbytes)
    if zlib.crc32(data) != part.crc:
        raise Wrong(f"the checksum of its {_PICKLE} is wrong")
    return data


def _part(file: BinaryIO, part: ZipEntry, most: int) -> bytes:
    file.seek(part.start)
    return file.read(min(part.nbytes, most))


def _found(value: Any, path: tuple[str, ...], known: dict[int, _Found | None]) -> _Found | None:
    """The state dict in a value; one under a usual key goes before the tensors beside it.

    known: what was found in the dicts looked at, by identity, for a pickle may put one dict into many places.
    """
    if not isinstance(value, dict) or len(path) > _DEEPEST:
        return None
    if id(value) in known:
        return known[id(value)]
    known[id(value)] = None
    known[id(value)] = found = _looked_into(value, path, known)
    return found


def _looked_into(value: dict[Any, Any], path: tuple[str, ...], known: dict[int, _Found | None]) -> _Found | None:
    for key in WRAPPERS:
        if found := _found(value.get(key), (*path, key), known):
            return found
    below: dict[int, tuple[str, _Found]] = {}
    for key, inner in value.items():
        if isinstance(key, str) and (found := _found(inner, (*path, key), known)):
            below.setdefault(id(found.tensors), (key, found))
    own = {key: inner for key, inner in value.items() if isinstance(key, str) and isinstance(inner, StoredTensor)}
    if own and len(own) >= max((len(found.tensors) for _, found in below.values()), default=0):
        return _Found(path, own, len(value) - len(own))
    if len(below) > 1:
        keys = " and ".join(quoted(key) for key, _ in list(below.values())[:2])
        raise Wrong(f"it holds {len(below):,} state dicts, under {keys}", "save the one that you want alone")
    return next((found for _, found in below.values()), None)


def _check(tensors: dict[str, StoredTensor], parts: dict[str, ZipEntry], nbytes: int) -> None:
    """Every tensor must lie within a part of the file, and all together may not unfold to much more than the file."""
    check_tensor_count(len(tensors))
    total = 0
    for name, stored in tensors.items():
        checked_name(name)
        part = parts.get(f"data/{stored.key}")
        if part is None:
            raise Wrong(f"the part {quoted(f'data/{stored.key}')} with the numbers of {quoted(name)} is missing")
        itemsize = ITEMSIZE[stored.dtype]
        if (stored.last + 1) * itemsize > part.nbytes:
            raise Wrong(f"{quoted(name)} reaches beyond its part, which has {part.nbytes:,} bytes")
        numbers = math.prod(stored.shape)
        if numbers > stored.last - stored.first + 1:
            raise Wrong(f"{quoted(name)} declares {numbers:,} numbers and has fewer")
        total += numbers * itemsize
    if total > _MOST_SHARED * nbytes:
        raise Wrong(f"its tensors unfold to {total:,} bytes out of {nbytes:,}", ONLY_WEIGHTS)
