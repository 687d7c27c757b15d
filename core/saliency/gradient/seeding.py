"""The same random numbers each time, and nobody else's changed: other threads draw from the same generators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numpy as np
import torch

_ONE_AT_A_TIME = RLock()


@contextmanager
def seeded(device: torch.device, seed: int) -> Iterator[None]:
    """Draw from a fixed seed inside the block, and put the generators of torch and NumPy back after it."""
    devices = [device] if device.type == "cuda" else []
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices):
        state = np.random.get_state()
        torch.manual_seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            np.random.set_state(state)
