"""What the weight files of a folder hold, read from their headers: nothing is executed, and little is read."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.errors import HeadlightError
from core.models.hub import weight_files

# What wrappers put before every name: DataParallel and the Lightning modules that hold a network as their `model`.
WRAPPERS = ("module.", "model.", "module.model.", "model.module.")
# As the safetensors library has it.
LONGEST_HEADER = 100_000_000
_FORMATS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8",
    "BOOL": "bool",
}  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A tensor in a file: its number format as torch names it, and its numbers."""

    dtype: str
    count: int

    @property
    def is_real(self) -> bool:
        """Whether it holds fractions, which loading casts to the format asked for."""
        return "float" in self.dtype


@dataclass(frozen=True)
class WeightFiles:
    """The weight files of a folder and the tensors in them, by name."""

    paths: tuple[Path, ...]
    tensors: dict[str, Stored]

    @property
    def pickled(self) -> bool:
        return self.paths[0].suffix == ".bin"

    def nbytes(self, dtype: torch.dtype) -> int:
        """Memory that the tensors take when fractions are cast to `dtype`."""
        sizes = {name: getattr(torch, name).itemsize for name in {stored.dtype for stored in self.tensors.values()}}
        return sum(t.count * (dtype.itemsize if t.is_real else sizes[t.dtype]) for t in self.tensors.values())


def weights_of(name: str, folder: Path) -> WeightFiles:
    """Look into a folder's weight files. Raises HeadlightError, one sentence, when there are none that can be read.

    name: what the model is called in that sentence.
    """
    paths = weight_files(folder)
    if not paths:
        raise HeadlightError(
            f"{name} has no model.safetensors and no pytorch_model.bin: save the model once more with transformers, "
            "which writes them."
        )
    tensors: dict[str, Stored] = {}
    for path in paths:
        tensors |= _pickled(name, path) if path.suffix == ".bin" else tensors_in(name, path)
    return WeightFiles(paths, tensors)


def wrapper_of(names: Collection[str], network: nn.Module, base: str) -> str:
    """The prefix that keeps the tensors of a file from their places in a network, or "" where none does.

    names: those in the file. base: the network's own prefix for its stack of layers, which loading adds and removes.
    """
    places = set(network.state_dict())
    places |= {name.removeprefix(f"{base}.") for name in places} | {f"{base}.{name}" for name in places}

    def matched(prefix: str) -> int:
        return sum(name.startswith(prefix) and name.removeprefix(prefix) in places for name in names)

    best = max(("", *WRAPPERS), key=matched)
    return best if best and matched(best) > 2 * matched("") else ""


def whole_numbers(tensors: Mapping[str, Stored], network: nn.Module) -> list[str]:
    """Names of the tensors in files that hold no fractions, where the network's own of that name do.

    Prefixes do not matter, neither a wrapper's nor the network's own.
    """
    fractions = [name for name, tensor in network.state_dict().items() if tensor.is_floating_point()]
    return sorted(
        name
        for name, stored in tensors.items()
        if not stored.is_real and any(f".{name}".endswith(f".{own}") or own.endswith(f".{name}") for own in fractions)
    )


def without(prefix: str) -> dict[str, str]:
    """The renaming that takes a prefix off, as `from_pretrained` is told it."""
    return {f"^{re.escape(prefix)}": ""} if prefix else {}


def tensors_in(name: str, path: Path) -> dict[str, Stored]:
    """The tensors of a safetensors file. Raises HeadlightError, one sentence, for a damaged one.

    From the header itself: the library would map the whole file, which fails for one larger than the memory.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > LONGEST_HEADER:
                raise ValueError(f"a header of {length} bytes")
            header: dict[str, Any] = json.loads(file.read(length))
        tensors = {key: part for key, part in header.items() if key != "__metadata__"}
        if 8 + length + max((part["data_offsets"][1] for part in tensors.values()), default=0) != path.stat().st_size:
            raise ValueError("another length than the header says")
        return {
            key: Stored(_FORMATS[part["dtype"]], math.prod(map(index, part["shape"]))) for key, part in tensors.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise HeadlightError(
            f"{name}: its weights are damaged ({path.name} cannot be read); get its files again."
        ) from error


def _pickled(name: str, path: Path) -> dict[str, Stored]:
    try:
        # weights_only: a pickle that holds anything but tensors and plain containers is not read to its end.
        tensors = torch.load(path, map_location="meta", weights_only=True)
        return {str(key): Stored(_named(tensor.dtype), tensor.numel()) for key, tensor in tensors.items()}
    except pickle.UnpicklingError as error:
        raise HeadlightError(
            f"{name}: {path.name} is damaged or holds more than tensors, which could run as a program, so it is not "
            "opened: save the model once more with save_pretrained, which writes safetensors."
        ) from error
    except Exception as error:  # damaged archives raise errors of many kinds
        raise HeadlightError(
            f"{name}: its weights are damaged ({path.name} cannot be read); get its files again."
        ) from error


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
