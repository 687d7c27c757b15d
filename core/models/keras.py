"""Weights out of a `.keras` file, a zip with an HDF5 file in it, read within bounds."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]
import torch
from torch import Tensor

from core.errors import HeadlightError

WEIGHTS = "model.weights.h5"
MOST_BYTES = 64 << 20


def keras_weights(file: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """The tensors of a Keras model, by their path in its HDF5 file.

    shapes: what is to be read; each must be there in float32 and in this shape.
    Raises HeadlightError, one sentence, for anything else.
    """
    try:
        with h5py.File(io.BytesIO(_unzipped(file)), "r") as opened:
            return {path: _tensor(file.name, opened, path, shape) for path, shape in shapes.items()}
    except (OSError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile, NotImplementedError) as error:
        raise HeadlightError(f"{file.name} is no Keras model that can be read: get it again.") from error


def _unzipped(file: Path) -> bytes:
    """The HDF5 file, of which a zip may claim any length: no more than the bound is ever unpacked."""
    with zipfile.ZipFile(file) as archive, archive.open(WEIGHTS) as packed:
        data = packed.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise HeadlightError(f"{file.name} unpacks to more than {MOST_BYTES >> 20} MiB: get it again.")
    return data


def _tensor(name: str, opened: Any, path: str, shape: tuple[int, ...]) -> Tensor:
    """One dataset. Nothing is followed out of the file, and nothing is decompressed."""
    found = _without_links(opened, path)
    if not isinstance(found, h5py.Dataset):
        raise HeadlightError(f"{name} has no weights {path}: get it again.")
    if found.shape != shape or found.dtype != "float32":
        raise HeadlightError(
            f"{name}: its weights {path} are {found.dtype} of shape {found.shape}, not float32 of shape {shape}; get "
            "it again."
        )
    if found.external or found.is_virtual or found.chunks is not None:
        raise HeadlightError(f"{name}: its weights {path} do not lie in it as they are; get it again.")
    return torch.from_numpy(found[()])


def _without_links(opened: Any, path: str) -> Any:
    """What lies at a path; None where a link would lead elsewhere."""
    found = opened
    for part in path.split("/"):
        if not isinstance(found, h5py.Group) or not isinstance(found.get(part, getlink=True), h5py.HardLink):
            return None
        found = found[part]
    return found
