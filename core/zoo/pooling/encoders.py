"""The encoders of a classifier with pooling attention: what each word's state is made of.

Shapes: B batch, S tokens, E width of an embedding, H width of a state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from core.zoo.pooling.configuration import PoolingConfig
from core.zoo.recurrent.layers import RecurrentLayers, States


class BiLstm(nn.Module):
    """The whole text, in both directions: h = [forward; backward]."""

    def __init__(self, config: PoolingConfig) -> None:
        super().__init__()
        self.layers = RecurrentLayers("lstm", config.embedding_size, config.hidden_size)

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        states: States = self.layers(embedded, mask)
        return states.each


class Convolution(nn.Module):
    """A few words on each side: ReLU of filters of several widths, beside each other. Padding counts as nothing."""

    def __init__(self, config: PoolingConfig) -> None:
        super().__init__()
        width = config.hidden_size // len(config.kernel_sizes)
        self.filters = nn.ModuleList(
            nn.Conv1d(config.embedding_size, width, size, padding=size // 2) for size in config.kernel_sizes
        )

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        visible = (embedded * mask[..., None].to(embedded.dtype)).mT  # (B, S, E) -> (B, E, S)
        return torch.relu(torch.cat([each(visible) for each in self.filters], dim=1)).mT  # (B, H, S) -> (B, S, H)


class EachAlone(nn.Module):
    """Each word by itself: a linear map, and what bends it, ReLU as Jain & Wallace or tanh as Wiegreffe & Pinter."""

    def __init__(self, config: PoolingConfig, bend: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.linear = nn.Linear(config.embedding_size, config.hidden_size)
        self.bend = bend

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        return self.bend(self.linear(embedded))  # (B, S, E) -> (B, S, H)


ENCODERS: dict[str, Callable[[PoolingConfig], nn.Module]] = {
    "bilstm": BiLstm,
    "cnn": Convolution,
    "average": partial(EachAlone, bend=torch.relu),
    "mlp": partial(EachAlone, bend=torch.tanh),
}
