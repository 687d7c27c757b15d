"""Runs in a box: names and shapes in a weight file of the format before torch 1.6, which only torch itself reads.

A pickle of a few bytes can keep torch busy for ever, even where it may make nothing but tensors.
"""

from __future__ import annotations

from typing import Any

import torch


def described(source: str) -> dict[str, Any]:
    """Number format and shape by name, for the path of a file. Raises what torch raises for another kind of file."""
    held: Any = torch.load(source, map_location="meta", weights_only=True)
    return {str(key): (str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)) for key, tensor in held.items()}
