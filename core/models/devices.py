"""Where a model runs and in which number format."""

from __future__ import annotations

import torch

from core.errors import HeadlightError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


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
