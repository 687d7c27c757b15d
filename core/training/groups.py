"""Parameter groups: which weights are trained, how fast each layer learns, and which decay."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from torch import nn

from core.errors import HeadlightError
from core.training.options import Options


def parameter_groups(network: nn.Module, options: Options) -> list[dict[str, Any]]:
    """Freeze what the options say, and group the rest for the optimiser.

    Each group has `params`, `weight_decay` (0 for biases, norms and other vectors) and `factor`, by which the scheduled
    learning rate is multiplied. With `layer_decay` d and L layers, layer l = 1 … L has d^(L + 1 - l), the embeddings
    d^(L + 1), and what lies above the layers 1 (Howard and Ruder 2018; ELECTRA). Raises `HeadlightError` where layers
    are asked for and the network has no single stack, or where nothing is left to train.
    """
    depth = _Depth(network) if options.freeze or options.layer_decay != 1 else None
    if depth is not None:
        _freeze(network, depth, options.freeze)
    grouped: dict[tuple[float, float], list[nn.Parameter]] = defaultdict(list)
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            factor = 1.0 if depth is None else options.layer_decay ** (depth.layers + 1 - depth.of(name))
            decay = options.weight_decay if parameter.dim() > 1 else 0.0
            grouped[factor, decay].append(parameter)
    if not grouped:
        raise HeadlightError("No weight of this network is left to train; freeze fewer layers.")
    return [
        {"params": parameters, "factor": factor, "weight_decay": decay}
        for (factor, decay), parameters in grouped.items()
    ]


def _freeze(network: nn.Module, depth: _Depth, lowest: int) -> None:
    """Keep the embeddings and the lowest layers as they are; a frozen layer above trained embeddings saves nothing."""
    if lowest > depth.layers:
        raise HeadlightError(
            f"The network has {depth.layers} layers, so {lowest} cannot be frozen; freeze at most {depth.layers}."
        )
    for name, parameter in network.named_parameters():
        if lowest and depth.of(name) <= lowest:
            parameter.requires_grad_(False)


class _Depth:
    """How deep a parameter lies: 0 in the embeddings, 1 … `layers` in a layer, `layers` + 1 above them."""

    def __init__(self, network: nn.Module) -> None:
        config = getattr(network, "config", None)
        self.layers = int(getattr(config, "num_hidden_layers", 0))
        stacks = [
            name
            for name, module in network.named_modules()
            if isinstance(module, nn.ModuleList) and len(module) == self.layers
        ]
        if not stacks or not self.layers or getattr(config, "is_encoder_decoder", False):
            raise HeadlightError(
                "Freezing layers and layer-wise rates need a network with one stack of layers, which this one has not;"
                " set “freeze” to 0 and “layer_decay” to 1."
            )
        self._stack = stacks[0]
        self._embeddings = _embedding_names(network, self._stack)

    def of(self, name: str) -> int:
        if name.startswith(f"{self._stack}."):
            return int(name.removeprefix(f"{self._stack}.").split(".")[0]) + 1
        return 0 if name in self._embeddings else self.layers + 1


def _embedding_names(network: nn.Module, stack: str) -> set[str]:
    """The parameters below the layers: tables of tokens and positions, and what lies in one module with them."""
    tokens = network.get_input_embeddings()  # type: ignore[operator]
    owner = next(name for name, module in network.named_modules() if module is tokens).rpartition(".")[0]
    within = f"{owner}." if owner else ""
    # GPT-2 keeps its tables beside its layers in one module: there, only the tables themselves count.
    only_tables = stack.startswith(within)
    return {
        f"{name}.{parameter}"
        for name, module in network.named_modules()
        if name.startswith(within) and (isinstance(module, nn.Embedding) or not only_tables)
        for parameter, _ in module.named_parameters(recurse=False)
    }
