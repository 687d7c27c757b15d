"""Layers of a model run again by themselves, on what entered them in one run, several copies at once.

What a layer was called with is seen by hooks, which every thread that shares the network would run into; so they are
put on other modules that hold the same weights.
"""

from __future__ import annotations

import copy
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.saliency.question import Question


class LayerRuns:
    """The layers of the stream "self" with what entered each: T tokens, D width of the states.

    Costs one pass. Raises HeadlightError for a network whose layers are not a list of modules that each attend once.
    """

    @torch.no_grad()
    def __init__(self, question: Question) -> None:
        trace, model = question.trace, question.model
        network = same_weights(model.network)
        layers = [layer_of(network, trace.path(layer, "self")) for layer in range(trace.layers("self"))]
        self._calls: list[tuple[nn.Module, tuple[Any, ...], dict[str, Any]]] = []
        hooks = [
            layer.register_forward_pre_hook(lambda *call: self._calls.append(call), with_kwargs=True)
            for layer in dict.fromkeys(each for each in layers if each is not None)
        ]
        network(**model.inputs(question.reading), **({"use_cache": False} if "use_cache" in model.accepted else {}))
        for hook in hooks:
            hook.remove()
        if [layer for layer, *_ in self._calls] != layers:
            raise HeadlightError(
                f"The layers of {model.name} do not follow each other as plain modules, so none can be run by itself: "
                "choose attention rollout."
            )

    def __len__(self) -> int:
        return len(self._calls)

    @torch.no_grad()
    def run(self, layer: int, count: int) -> Tensor:
        """What a layer makes of `count` copies of what entered it: (N, T, D)."""
        module, args, kwargs = self._calls[layer]
        found = module(*_copies(args, count), **_copies(kwargs, count))
        states: Tensor = found if isinstance(found, Tensor) else found[0]
        return states


def same_weights(network: nn.Module) -> nn.Module:
    """Other modules with the very same parameters and buffers: what is hooked or set on them, nobody else meets."""
    tensors = chain(network.parameters(), network.buffers())
    return copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})


def layer_of(network: nn.Module, path: str) -> nn.Module | None:
    """The whole layer in which the module at a path attends: the outermost that is one of a list; None without one."""
    names = path.split(".")
    for end in range(1, len(names)):
        around = network.get_submodule(".".join(names[: end - 1])) if end > 1 else network
        if isinstance(around, nn.ModuleList):
            return around[int(names[end - 1])]
    return None


def _copies(given: Any, count: int) -> Any:
    """What a layer was called with for one text, for `count` of them: tensors (1, ...) become (N, ...)."""
    if isinstance(given, Tensor):
        one_text = given.dim() > 1 and given.shape[0] == 1
        return given.expand(count, *given.shape[1:]) if one_text else given
    if isinstance(given, dict):
        return {name: _copies(each, count) for name, each in given.items()}
    if type(given) in (tuple, list):
        return type(given)(_copies(each, count) for each in given)
    return given
