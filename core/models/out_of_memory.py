"""Too little memory in the middle of a run gives the memory back and one sentence; the app lives on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from core.errors import HeadlightError
from core.models.devices import describe_device


@contextmanager
def memory_worded(name: str, device: str) -> Iterator[None]:
    """What runs inside belongs to a text on the model called `name`. Raises HeadlightError where memory runs out."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not isinstance(error, torch.OutOfMemoryError | MemoryError) and "allocate memory" not in str(error):
            raise
        if device.startswith("cuda"):
            torch.cuda.empty_cache()
        raise HeadlightError(
            f"{describe_device(device)} ran out of memory for this text on {name}: shorten the text."
        ) from error
