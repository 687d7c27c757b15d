"""Which tokens are padding, and how long the texts are without it."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError


def mask_of(input_ids: Tensor | None, embedded: Tensor, attention_mask: Tensor | None, pad: int | None) -> Tensor:
    """(B, S): the mask that was given; without one, everything but padding."""
    if attention_mask is not None:
        return attention_mask
    if input_ids is None or pad is None:
        return embedded.new_ones(embedded.shape[:2], dtype=torch.long)
    return (input_ids != pad).long()


def lengths_of(mask: Tensor) -> Tensor:
    """(B, S) -> (B,) on the CPU, where packing wants them. Refuses texts that are padded elsewhere than at the end."""
    mask = mask.bool().cpu()
    lengths = mask.sum(dim=1)
    if bool((mask[:, 1:] > mask[:, :-1]).any()) or bool((lengths == 0).any()):
        raise HeadlightError("A recurrent model reads texts that are padded at the end and have one token at least.")
    return lengths
