"""What a model and a run will cost, told before it is paid. Bytes are bytes, times are seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from core.errors import HeadlightError

# Left to everything but weights: the app itself, and what one short run takes.
SPARE_BYTES = 256 << 20


class NoRoom(HeadlightError):
    """There is not enough free memory on a device; `missing` bytes of it would have to be let go first."""

    def __init__(self, sentence: str, missing: int) -> None:
        super().__init__(sentence)
        self.missing = missing


def sketch(model_class: type[PreTrainedModel], config: Any) -> PreTrainedModel:
    """The network of a config without memory for its weights: its names, shapes and number of parameters."""
    with torch.device("meta"):
        return model_class(config)


def weights_nbytes(network: nn.Module, dtype: torch.dtype) -> int:
    """Memory of a network's weights and buffers when fractions are kept in `dtype`."""
    tensors = [*network.parameters(), *network.buffers()]
    return sum(t.numel() * (dtype.itemsize if t.is_floating_point() else t.element_size()) for t in tensors)


def fit(name: str, nbytes: int, device: str, most: int | None = None) -> None:
    """Raise HeadlightError, one sentence with both numbers, when weights of `nbytes` cannot be held; NoRoom for now.

    device: "cpu", "cuda:0", "mps"; "auto" spreads over all there is, the disk included, and always fits.
    most: a bound of the server's own, besides what is free on the device.
    """
    if device == "auto":
        return
    if most is not None and nbytes > most:
        raise HeadlightError(
            f"{name} takes {_size(nbytes)} and this server keeps at most {_size(most)} of models: choose a smaller "
            "model or a shorter number format."
        )
    free = free_nbytes(device)
    if free is not None and nbytes + SPARE_BYTES > free:
        raise NoRoom(
            f"{name} takes {_size(nbytes)} and {device} has {_size(free)} free: choose a smaller model, a shorter "
            "number format or the device auto.",
            missing=nbytes + SPARE_BYTES - free,
        )


def free_nbytes(device: str) -> int | None:
    """Memory that a device can still give, or None where it cannot be asked."""
    if device.startswith("cuda"):
        if not torch.cuda.is_available():
            return None
        try:
            return torch.cuda.mem_get_info(torch.device(device))[0]
        except (RuntimeError, AssertionError, ValueError):  # no such device: moving to it says so
            return None
    if device == "mps":
        if not torch.backends.mps.is_available():
            return None
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    return _free_main_memory() if device == "cpu" else None


def _free_main_memory() -> int:
    import psutil

    free: int = psutil.virtual_memory().available
    limit = _allowed_to_container()
    return free if limit is None else min(free, limit)


def _allowed_to_container(group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What a container may still take of the machine's memory, or None where nothing bounds it."""
    try:
        bound, used = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        return None if bound == "max" else max(0, int(bound) - int(used))
    except (OSError, ValueError):
        return None


@dataclass(frozen=True)
class Sizes:
    """The sizes of one stream that its cost follows from; `width` is that of one head's queries and keys."""

    layers: int
    heads: int
    key_value_heads: int
    width: int


def recording_nbytes(sizes: Sizes, queries: int, keys: int, itemsize: int) -> int:
    """What a trace keeps of one stream: queries of all heads and keys of all key-value heads, layer by layer.

    itemsize: bytes of a number, 4 for float32 and 2 for the 16-bit formats. Source: capture.md, section 3.
    """
    return sizes.layers * sizes.width * itemsize * (sizes.heads * queries + sizes.key_value_heads * keys)


def layer_nbytes(sizes: Sizes, queries: int, keys: int) -> int:
    """The weights of one layer, all heads, in float32 as they are shown."""
    return 4 * sizes.heads * queries * keys


def run_operations(parameters: int, sizes: Sizes, tokens: int) -> int:
    """Multiplications and additions of one pass over n tokens: two a weight and token, and q·k and A·V."""
    return 2 * parameters * tokens + 4 * sizes.layers * sizes.heads * sizes.width * tokens**2


def run_seconds(parameters: int, sizes: Sizes, tokens: int, measured: tuple[int, float]) -> float:
    """Time of one pass, from a measured one on the same device: (its tokens, its seconds)."""
    done, seconds = measured
    return seconds * run_operations(parameters, sizes, tokens) / run_operations(parameters, sizes, done)


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e9:,.1f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:,.0f} MB"
