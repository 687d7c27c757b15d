"""The order in which weights are made random: the head, then layer by layer from the top, then everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

HEAD, WHOLE = "head", "whole model"
# Of a deep model several layers go at once.
MOST_STEPS = 12


@dataclass(frozen=True)
class Stage:
    """What is made random in one step, besides all that was before. names: of the network's parameters."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Unit:
    """A layer of a stack, or what lies beside the stacks; layer: its number, None beside them."""

    path: str
    names: tuple[str, ...]
    layer: int | None = None


def stages_of(network: nn.Module) -> tuple[Stage, ...]:
    """Every parameter is in one stage. What lies above the topmost layer is the head, embeddings come last.

    Networks without a stack of layers go module by module. A head that shares its weights with the embeddings comes
    with these.
    """
    units = list(_units(network, ""))[::-1]
    stacked = any(unit.layer is not None for unit in units)
    first = next((place for place, unit in enumerate(units) if unit.layer is not None), 1)
    head, below = units[:first], units[first:]
    last = max((place for place, unit in enumerate(below) if unit.layer is not None), default=len(below) - 2)
    found = [Stage(HEAD, _names(head)), *_steps(below[: last + 1], stacked), Stage(WHOLE, _names(below[last + 1 :]))]
    # The last stage stands even where nothing is left for it, so that every series ends in a random model.
    return tuple(stage for stage in found if stage.names or stage.title == WHOLE)


@torch.no_grad()
def draw_anew(network: nn.Module, stage: Stage, generator: torch.Generator) -> None:
    """Fill the stage's tensors from normal distributions with each tensor's own mean and standard deviation.

    A tensor of equal values stays as it is, for it holds nothing that was learnt of its parts.
    """
    weights = dict(network.named_parameters())
    for name in stage.names:
        weight = weights[name]
        if weight.is_floating_point():
            kept = weight.float()
            mean, spread = float(kept.mean()), float(kept.std(unbiased=False))
            weight.copy_(_normal(weight, generator) * spread + mean)


def _normal(weight: Tensor, generator: torch.Generator) -> Tensor:
    """Drawn on the CPU, so that a seed gives the same numbers on every device."""
    return torch.randn(weight.shape, generator=generator).to(weight.device)


def _steps(units: list[_Unit], stacked: bool) -> list[Stage]:
    """One stage a layer, or for a few layers; what lies between two stacks goes with the layer below it."""
    if not stacked:
        return [Stage(unit.path.rsplit(".", 1)[-1], unit.names) for unit in units]
    layers: list[list[_Unit]] = [[]]
    for unit in units:
        layers[-1].append(unit)
        if unit.layer is not None:
            layers.append([])
    layers = [layer for layer in layers if layer]
    size = -(-len(layers) // MOST_STEPS)
    packed = [[unit for layer in layers[at : at + size] for unit in layer] for at in range(0, len(layers), size)]
    stacks = {unit.path for unit in units if unit.layer is not None}
    return [Stage(_title(step, len(stacks) > 1), _names(step)) for step in packed]


def _title(step: list[_Unit], several: bool) -> str:
    """ "layer 3", "layers 5 to 4", and with two stacks "decoder layer 3"."""
    layers = [unit for unit in step if unit.layer is not None]
    top, bottom = layers[0], layers[-1]
    stack = f"{top.path.split('.')[-2]} " if several and "." in top.path else ""
    if top is bottom:
        return f"{stack}layer {top.layer}"
    if top.path == bottom.path:
        return f"{stack}layers {top.layer} to {bottom.layer}"
    return f"{stack}layer {top.layer} to {bottom.path.split('.')[-2]} layer {bottom.layer}"


def _names(units: list[_Unit]) -> tuple[str, ...]:
    return tuple(name for unit in units for name in unit.names)


def _units(network: nn.Module, prefix: str) -> Iterator[_Unit]:
    """In the order of registration, which is that of the pass."""
    known = {name for name, _ in network.named_parameters()}
    for path, names, layer in _walk(network, prefix, getattr(network, "base_model_prefix", "")):
        kept = tuple(name for name in names if name in known)
        if kept:
            yield _Unit(path, kept, layer)


def _walk(module: nn.Module, prefix: str, base: str) -> Iterator[tuple[str, list[str], int | None]]:
    """Path, parameters and layer number of each unit below a module."""
    own = [f"{prefix}{name}" for name, _ in module.named_parameters(recurse=False)]
    if own:
        yield prefix.rstrip("."), own, None
    for name, child in module.named_children():
        path = f"{prefix}{name}"
        if _is_stack(child):
            for number, layer in enumerate(_items(child)):
                yield path, [f"{path}.{number}.{each}" for each, _ in layer.named_parameters()], number
        elif path == base or any(map(_is_stack, child.modules())):
            yield from _walk(child, f"{path}.", base)
        else:
            yield path, [f"{path}.{each}" for each, _ in child.named_parameters()], None


def _is_stack(module: nn.Module) -> bool:
    """Whether a module is a list of layers: each has modules of its own, unlike the filters of a convolution."""
    return isinstance(module, nn.ModuleList) and len(module) > 0 and all(any(m.children()) for m in module)


def _items(stack: Any) -> list[nn.Module]:
    return list(stack)
