"""The places at which a scheme can act in a Transformer; a scheme overrides the one that it uses."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Encoding(nn.Module):
    """Positions for one stack of layers. Self-attention uses it; cross-attention has no common positions."""

    def add(self, hidden: Tensor, places: Tensor | None = None) -> Tensor:
        """The embeddings (B, T, D) with what the scheme adds to them.

        places: (B, T) position of each token, where texts do not all begin at 0: padding may stand before them.
        """
        return hidden

    def rotate(self, heads: Tensor) -> Tensor:
        """Queries or keys of all heads, (B, H, T, D), as the scheme turns them."""
        return heads

    def bias(self, queries: int, keys: int, device: torch.device | None = None) -> Tensor | None:
        """What is added to the scores, whatever the text: (H, T, S) on the device, or None."""
        return None

    def query_bias(self, query: Tensor, keys: int, scale: float) -> Tensor | None:
        """What is added to a layer's scores because of its queries: (B, H, T, W) -> (B, H, T, S), or None.

        scale: the layer's factor on q kᵀ, and on this
        """
        return None


def distances(queries: int, keys: int, device: torch.device | None = None) -> Tensor:
    """Key position minus query position: integers (T, S)."""
    return torch.arange(keys, device=device)[None, :] - torch.arange(queries, device=device)[:, None]  # (T, S)
