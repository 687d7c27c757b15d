"""Weights in 16 bits: float16, refused where one does not fit, and proven to come back as they were written."""

from __future__ import annotations

import copy
from pathlib import Path

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.errors import HeadlightError


def halved(network: PreTrainedModel) -> PreTrainedModel:
    """A copy of a network with float16 weights, its ties kept. Raises HeadlightError where a weight is out of range.

    Weights below 6e-8 become zero; all others keep 11 bits, or fewer below 6e-5.
    """
    half = copy.deepcopy(network).half()
    require_finite(half.state_dict())
    return half


def require_finite(tensors: dict[str, Tensor]) -> None:
    """Raise HeadlightError for a float16 tensor with a value that is no number or beyond 65,504."""
    bad = [name for name, tensor in tensors.items() if not torch.isfinite(tensor.float()).all()]
    if bad:
        raise HeadlightError(
            f"The weights {bad[0]} do not fit into float16: train with a weight decay or a lower rate."
        )


def require_same(written: PreTrainedModel, opened: PreTrainedModel, folder: Path) -> None:
    """Raise HeadlightError unless a network that was opened from a folder has the very weights that were written."""
    theirs = opened.state_dict()
    for name, tensor in written.state_dict().items():
        if name not in theirs or not torch.equal(tensor.float(), theirs[name].float()):
            raise HeadlightError(f"{folder} does not open with the weights that were written: {name} differs.")
