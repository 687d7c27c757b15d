"""Who may attend to whom, as the attention functions want it: bool, True = may attend; None = nothing is masked.

A causal stack needs no mask for its order (its attention modules say `is_causal`), only for padding.
"""

from __future__ import annotations

import torch
from torch import Tensor


def padded(attention_mask: Tensor | None) -> Tensor | None:
    """The tokenizer's mask (B, S) as bool, or None where no text has padding."""
    if attention_mask is None or bool(attention_mask.all()):
        return None
    return attention_mask.bool()


def over_keys(real: Tensor | None) -> Tensor | None:
    """Every query sees every real key: (B, S) -> (B, 1, 1, S)."""
    return None if real is None else real[:, None, None, :]


def over_keys_before(real: Tensor | None) -> Tensor | None:
    """Query i sees the real keys among 0..i, and itself: (B, T) -> (B, 1, T, T).

    A padding token before the text would otherwise see nothing, and a softmax over nothing is no number.
    """
    if real is None:
        return None
    own = torch.eye(real.shape[1], dtype=torch.bool, device=real.device)  # (T, T)
    return ((real[:, None, :] & torch.ones_like(own).tril()) | own)[:, None]  # (B, 1, T) & (T, T) -> (B, 1, T, T)


def places(real: Tensor | None) -> Tensor | None:
    """Position of each token in its text, which may stand after padding: (B, T); None where all begin at 0."""
    return None if real is None else (real.cumsum(dim=-1) - 1).clamp(min=0)  # (B, T)
