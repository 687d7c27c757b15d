"""Where a model runs and in which number format."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from core.errors import HeadlightError
from core.models.cache import cache_folder

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
# The device that stands for all of them, main memory and the disk included.
SPREAD = "auto"


def best_device() -> str:
    """The fastest device here: "cuda:0", "mps" or "cpu"."""
    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def describe_device(device: str) -> str:
    """A device as people name it."""
    if device.startswith("cuda"):
        return f"{torch.cuda.get_device_name(device)} ({device})"
    return {"mps": "Apple GPU (mps)", "cpu": "CPU"}.get(device, device)


def dtype_named(name: str) -> torch.dtype:
    """The torch type of a format's name. Raises HeadlightError for an unknown one."""
    if name not in DTYPES:
        raise HeadlightError(f"The number format {name} is not known: choose one of {', '.join(DTYPES)}.")
    return DTYPES[name]


class Spread:
    """A model over all devices: GPUs first, then main memory, then the disk, as accelerate lays it out.

    memory: what may be used of each device, in bytes: {0: ..., "cpu": ...}; all that is free where None.
    """

    def __init__(self, memory: Mapping[str | int, int] | None = None) -> None:
        root = cache_folder() / "offload"
        root.mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(dir=root, ignore_cleanup_errors=True)
        self._memory = dict(memory) if memory else None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `from_pretrained`."""
        return {"device_map": SPREAD, "max_memory": self._memory, "offload_folder": self._folder.name}

    def belongs_to(self, network: nn.Module) -> None:
        """Keep what lies on the disk for as long as there is the network, and no longer."""
        weakref.finalize(network, self._folder.cleanup)


def first_device(network: nn.Module) -> str:
    """The device that takes the inputs of a network that is spread over several."""
    places = [str(place) for place in getattr(network, "hf_device_map", {}).values()]
    fast = [place for place in places if place not in ("cpu", "disk", "meta")]
    if not fast:
        return "cpu"
    return f"cuda:{fast[0]}" if fast[0].isdigit() else fast[0]
