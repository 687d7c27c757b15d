"""Which class of a family a file is of, told by the tensors after the layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.models.guessing.tensors import Tensors


def head_of(tensors: Tensors, heads: Sequence[tuple[str, str]], without: str) -> tuple[str, str]:
    """The first class whose telling tensor is there, and that tensor; (without, "") if none is.

    heads: (tensor, class) pairs, the most telling first.
    """
    return next(((architecture, name) for name, architecture in heads if tensors.has(name)), (without, ""))


def labels_of(tensors: Tensors, name: str) -> dict[str, Any]:
    """The number of labels that a classifying layer has, as config.json says it; nothing if the tensor is none."""
    shape = tensors.shapes.get(name, ())
    return {"num_labels": shape[0]} if len(shape) == 2 else {}


def because(tensors: Tensors, *names: str, head: str = "") -> str:
    """A reason: the tensors that tell, and the one that tells the head."""
    told = ", ".join(tensors.told(name) for name in names if tensors.has(name))
    return (
        f"It has {told}, and {tensors.told(head)} for its head." if head else f"It has {told}, and no head of its own."
    )
