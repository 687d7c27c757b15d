"""Random numbers of a run's own: seeded for a block and put back after it, so that runs do not disturb each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch


def seed_of(*key: int | str) -> int:
    """One seed below 2^63 for a key such as ("dropout", 7, 120); keys that differ give unrelated seeds."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


@contextmanager
def seeded(device: torch.device, *key: int | str) -> Iterator[None]:
    """Inside the block, torch's random numbers on the CPU and on `device` follow from the key alone.

    Afterwards both generators go on as if there had been no block. The generators belong to the process: a thread that
    draws from them or seeds them during the block disturbs it, before and after it does not.
    """
    own = torch.default_generator.get_state()
    on_device = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
    try:
        torch.default_generator.manual_seed(seed_of(*key))
        if on_device is not None:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed_of(*key))
        yield
    finally:
        torch.default_generator.set_state(own)
        if on_device is not None:
            torch.cuda.set_rng_state(on_device, device)
