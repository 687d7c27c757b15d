"""Weights spread over several files that no index names: all of them, by the numbers in their names."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from core.errors import HeadlightError
from core.models.checking_files.pickled_header import is_zipped

# In the order in which one is chosen.
_NAMES = (("model", "safetensors"), ("pytorch_model", "bin"))


def loose_shards(folder: Path) -> tuple[Path, ...]:
    """The files model-00001-of-00002.safetensors and so on of a folder, in their order; () where there are none.

    Raises HeadlightError where one of them is missing, or where there are those of two models.
    """
    for stem, suffix in _NAMES:
        named = re.compile(rf"{stem}-(\d{{5}})-of-(\d{{5}})\.{suffix}", re.ASCII)
        found = {match[0]: match[2] for path in _files(folder) if (match := named.fullmatch(path.name))}
        if not found:
            continue
        totals = set(found.values())
        if len(totals) > 1:
            raise HeadlightError(
                f"The weight files {stem}-….{suffix} are those of two models ({' and '.join(sorted(totals)[:2])} "
                "files): keep one of the two."
            )
        total = int(totals.pop())
        expected = [f"{stem}-{number:05}-of-{total:05}.{suffix}" for number in range(1, total + 1)]
        if lost := next((name for name in expected if name not in found), None):
            raise HeadlightError(f"The weight file {lost} is missing, and others count it: get it again.")
        return tuple(folder / name for name in expected)
    return ()


def tensors_of(paths: tuple[Path, ...]) -> dict[str, Tensor]:
    """All tensors of weight files that were checked, as one state dict."""
    tensors: dict[str, Tensor] = {}
    for path in paths:
        if path.suffix == ".bin":
            tensors |= torch.load(path, map_location="cpu", weights_only=True, mmap=is_zipped(path))
        else:
            tensors |= load_file(path)
    return tensors


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in sorted(folder.iterdir()) if path.is_file()]
    except OSError:
        return []
