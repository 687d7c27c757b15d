"""Runs in a box: the tensors of torch files, read without running anything of theirs, written as safetensors.

torch is imported here so that it costs the box neither its time nor its memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from core.models.preparing.change import Shape
from core.models.preparing.safetensors_writing import CHUNK_BYTES, header_bytes, in_order

# What training programs leave beside the tensors and torch does not know; it is never made here.
INERT = ("argparse.Namespace",)


class Inert:
    """Stands for a thing of another name, whose values nobody reads."""


def write_safetensors(request: dict[str, Any]) -> None:
    """Turn each file of a request into one in the folder that the box works in.

    request: {"files": [{"source": path, "keys": [those that lead to the state dict], "target": file name,
        "names": {name in the source: name in the target}, "turned": [names in the source of those to transpose],
        "zeros": {name in the target: [number format, shape] of what is added}}]}; those without a new name are left
        out.
    """
    for file in request["files"]:
        with torch.serialization.safe_globals([(Inert, name) for name in INERT]):
            held: Any = torch.load(file["source"], map_location="cpu", weights_only=True, mmap=True)
        for key in file["keys"]:
            held = held[key]
        # Tensors that share their numbers are written as often as they are named, which safetensors demands.
        tensors = {new: held[old].detach() for old, new in file["names"].items()}
        tensors |= {file["names"][old]: held[old].detach().T for old in file["turned"]}
        tensors |= {name: torch.zeros(shape, dtype=getattr(torch, d)) for name, (d, shape) in file["zeros"].items()}
        with Path(file["target"]).open("xb") as target:
            _write(target, tensors)


def _write(target: BinaryIO, tensors: dict[str, Tensor]) -> None:
    told = {name: (str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)) for name, tensor in tensors.items()}
    order = in_order(told)
    target.write(header_bytes(_described(order, told)))
    for name in order:
        if not tensors[name].numel():
            continue
        # A view into others' numbers is laid out on its own first; one without dimensions gets one.
        numbers = tensors[name].resolve_conj().resolve_neg().contiguous().reshape(-1)
        whole = numbers.view(torch.uint8).numpy().data
        for start in range(0, len(whole), CHUNK_BYTES):
            target.write(whole[start : start + CHUNK_BYTES])


def _described(order: list[str], told: dict[str, tuple[str, Shape]]) -> list[tuple[str, str, Shape]]:
    return [(name, *told[name]) for name in order]
