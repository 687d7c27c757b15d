"""The weights of a network that training changes, copied out and put back."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from core.errors import HeadlightError


def trained_weights(network: nn.Module) -> dict[str, Tensor]:
    """Copies of all parameters that are trained, and of all saved buffers, by name; tied parameters once."""
    return {name: value.detach().clone() for name, value in _trained(network).items()}


@torch.no_grad()
def put_back(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Write what `trained_weights` copied into the network, in place.

    Raises `HeadlightError` where names or shapes are those of another network; nothing is written then.
    """
    own = _trained(network)
    if own.keys() != weights.keys() or any(own[name].shape != value.shape for name, value in weights.items()):
        raise HeadlightError(
            "The checkpoint holds the weights of another network; choose the settings that it was trained with."
        )
    for name, value in weights.items():
        own[name].copy_(value)


def _trained(network: nn.Module) -> dict[str, Tensor]:
    """The tensors themselves."""
    parameters = {name for name, _ in network.named_parameters(remove_duplicate=False)}
    trained = {name: value for name, value in network.named_parameters() if value.requires_grad}
    return trained | {name: value for name, value in network.state_dict().items() if name not in parameters}
