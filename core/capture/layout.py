"""Bringing what models compute with into (B, H, T, S) and (B, H, S, D)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

# Functions that only look at a tensor in another shape, or at a part of it: a mask can be looked at in the same way.
RESHAPING: set[Any] = {
    Tensor.view, Tensor.reshape, Tensor.transpose, Tensor.permute, Tensor.unsqueeze, Tensor.squeeze, Tensor.flatten,
    Tensor.unflatten, Tensor.expand, Tensor.narrow, Tensor.swapaxes, Tensor.movedim, Tensor.contiguous,
    Tensor.__getitem__, vars(torch._C.TensorBase)["T"].__get__, vars(torch._C.TensorBase)["mT"].__get__,
    torch.reshape, torch.transpose, torch.permute, torch.unsqueeze, torch.squeeze, torch.flatten, torch.unflatten,
    torch.narrow, torch.swapaxes, torch.movedim,
}  # fmt: skip


def in_four(tensor: Tensor, heads: int) -> Tensor:
    """(B, H, T, S) of itself, of (B · H, T, S) or of (T, S); a first dimension of 1 serves all texts and heads."""
    if tensor.dim() == 2:
        return tensor[None, None]
    if tensor.dim() == 3:
        return tensor[None] if tensor.shape[0] == 1 else tensor.unflatten(0, (-1, heads))
    return tensor


def heads_in(first: int, texts: int, module: nn.Module | None) -> int | None:
    """How many heads share a first dimension with the texts; None if it holds neither texts nor their heads.

    What the texts leave of it, unless the module says that it has another number of heads.
    """
    names = ("num_heads", "n_heads", "num_attention_heads", "n_head")
    declared: Any = next((getattr(module, name) for name in names if hasattr(module, name)), None)
    heads = first // texts if first % texts == 0 else None
    if not isinstance(declared, int) or heads in (1, declared):
        return heads
    return declared if heads is None and declared > 0 and first % declared == 0 else None


def one_for_all_heads(blocked: Tensor) -> Tensor:
    """(B, H, T, S) -> (B, 1, T, S) where the heads agree."""
    return blocked[:, :1] if bool((blocked == blocked[:, :1]).all()) else blocked


def shared_by_heads(blocked: Tensor | None) -> Tensor | None:
    """The same, and None where nothing is masked."""
    return None if blocked is None or not bool(blocked.any()) else one_for_all_heads(blocked)
