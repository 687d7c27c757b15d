"""What the weight files of a folder hold, read from their headers: nothing is executed, and little is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from core.errors import HeadlightError
from core.jobs.boxed import Unboxed, boxed
from core.models.checking_files.entries import Stored
from core.models.checking_files.pickled_header import is_zipped, state_dict_of
from core.models.checking_files.safetensors_header import LONGEST_HEADER as LONGEST_HEADER
from core.models.checking_files.safetensors_header import header_of
from core.models.hub import weight_files
from core.models.opening.shards import loose_shards
from core.models.quoting import shown
from core.models.wording import continued

# Reading the names in a file of before torch 1.6.
OLD_SECONDS, OLD_BYTES_A_SECOND, OLD_NBYTES = 10.0, 50_000_000, 1 << 30
# What wrappers put before every name: DataParallel and the Lightning modules that hold a network as their `model`.
WRAPPERS = ("module.", "model.", "module.model.", "model.module.")


@dataclass(frozen=True)
class WeightFiles:
    """The weight files of a folder and the tensors in them, by name.

    loose: whether they are several files that no index names.
    """

    paths: tuple[Path, ...]
    tensors: dict[str, Stored]
    loose: bool = False

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
    named = weight_files(folder)
    paths = named or loose_shards(folder)
    if not paths:
        raise HeadlightError(
            f"{name} has no model.safetensors and no pytorch_model.bin: save the model once more with transformers, "
            "which writes them."
        )
    tensors: dict[str, Stored] = {}
    for path in paths:
        new = _pickled(name, path) if path.suffix == ".bin" else tensors_in(name, path)
        if twice := sorted(new.keys() & tensors.keys()):
            raise HeadlightError(
                f"{name}: two of its files hold the tensor {shown(twice[0])}, and nothing says for sure which is "
                "meant; get its files again."
            )
        tensors |= new
    return WeightFiles(paths, tensors, loose=not named)


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


def twice_meant(names: Collection[str], prefix: str, base: str) -> tuple[str, str] | None:
    """Two names of files that lead to one place in a network, of which only one tensor could be read; None without.

    prefix, base: as in `wrapper_of`. Old TensorFlow names of norms lead to the same places as the new ones.
    """
    taken: dict[str, str] = {}
    for name in sorted(names):
        place = name.removeprefix(prefix).removeprefix(f"{base}." if base else "")
        for old, new in (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias")):
            place = place.replace(old, new)
        if place in taken:
            return taken[place], name
        taken[place] = name
    return None


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
        return {key: Stored(entry.dtype, entry.shape) for key, entry in header_of(path).tensors.items()}
    except HeadlightError as error:
        raise HeadlightError(f"{name}: its weights are damaged; {continued(str(error))}") from error


def _pickled(name: str, path: Path) -> dict[str, Stored]:
    if not is_zipped(path):
        return _of_old_torch(name, path)
    try:
        held = state_dict_of(path)
    except HeadlightError as error:
        raise HeadlightError(f"{name}: {continued(str(error))}") from error
    if held.path or held.beside:
        raise HeadlightError(
            f"{name}: {path.name} holds more than a state dict: save the model once more with save_pretrained, which "
            "writes safetensors."
        )
    return {key: Stored(tensor.dtype, tensor.shape) for key, tensor in held.tensors.items()}


def _of_old_torch(name: str, path: Path) -> dict[str, Stored]:
    """The tensors of a file in the format before torch 1.6: what torch reads in a box, it may read here too."""
    nbytes = path.stat().st_size
    try:
        told = boxed(
            "core.models.opening.old_torch:described",
            str(path.resolve()),
            seconds=OLD_SECONDS + nbytes // OLD_BYTES_A_SECOND,
            nbytes=2 * nbytes + OLD_NBYTES,
        )
        return {key: Stored(str(dtype), tuple(map(int, shape))) for key, (dtype, shape) in told.items()}
    except Unboxed as error:
        # weights_only: a pickle that holds anything but tensors and plain containers is not read to its end.
        if "Unpickling" in error.detail:
            raise HeadlightError(
                f"{name}: {path.name} is damaged or holds more than tensors, which could run as a program, so it is "
                "not opened: save the model once more with save_pretrained, which writes safetensors."
            ) from error
        why = "" if error.reason == "error" else f", for reading it {error.why}"
        raise HeadlightError(
            f"{name}: its weights are damaged ({path.name} cannot be read{why}); get its files again."
        ) from error


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
