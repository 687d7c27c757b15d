"""Adding a LoRA adapter to its base in place: to linear layers and to embeddings, with or without a direction.

Sources: Hu et al. (2022), LoRA, section 4.1; Liu et al. (2024), DoRA, section 4.1, equation 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from core.errors import HeadlightError
from core.models.adapters.adapter import Adapter
from core.models.adapters.settings import Settings
from core.models.quoting import shown
from core.models.reporting.report import LoadReport

# What peft puts before every name.
PREFIX = "base_model.model."
# What it puts into names of tensors that come whole.
WRAPPED = (".base_layer.", ".modules_to_save.")
# Stands before what a module that was trained whole had been before.
REPLACED = ".original_module."
LINEAR = (".lora_A.weight", ".lora_B.weight")
EMBEDDING = (".lora_embedding_A", ".lora_embedding_B")
LENGTHS = (".lora_magnitude_vector", ".lora_magnitude_vector.weight")
PARTS = (*LINEAR, *EMBEDDING, *LENGTHS)


@dataclass(frozen=True)
class Change:
    """What an adapter adds to one module. down: (rank, in); up: (out, rank); lengths: (out) of DoRA, or None."""

    down: Tensor
    up: Tensor
    lengths: Tensor | None


@torch.no_grad()
def added(name: str, network: PreTrainedModel, report: LoadReport, adapter: Adapter) -> LoadReport:
    """Add an adapter to its base in place: B·A to the weights, and the tensors that it brings whole, such as a head.

    Returns the base's report with what the adapter did. Raises HeadlightError where a tensor finds no place.
    """
    tensors = _tensors(name, adapter)
    whole = {key: tensor for key, tensor in tensors.items() if not key.endswith(PARTS)}
    changes = dict(_changes(name, tensors, adapter))
    shapes = {key: own.shape for key, own in network.state_dict().items() if not own.is_meta}
    shared = set() if adapter.settings.tied else {weight for weight, count in _owners(network).items() if count > 1}
    for key, tensor in whole.items():
        if shapes.get(key) != tensor.shape:
            raise _misfit(name, key)
        path, _, last = key.rpartition(".")
        module = network.get_submodule(path)
        _part(module, shared)
        getattr(module, last).copy_(tensor)
    changeable = {**linear_modules(network), **_embeddings(network)}
    for place, change in changes.items():
        if place not in changeable:
            raise _misfit(name, place)
        _part(changeable[place], shared)
        _add(name, place, changeable[place], change, adapter.settings)
    weights = list(network.parameters())
    missing = tuple(key for key in report.missing if key not in whole)
    mismatched = tuple(key for key in report.mismatched if key not in whole)
    return replace(
        report,
        loaded=report.loaded + len(report.missing) - len(missing) + len(report.mismatched) - len(mismatched),
        missing=missing,
        mismatched=mismatched,
        shapes=tuple(both for key, both in zip(report.mismatched, report.shapes, strict=True) if key in mismatched),
        random_body=tuple(key for key in report.random_body if key in missing or key in mismatched),
        parameters=sum(w.numel() for w in weights),
        nbytes=sum(w.numel() * w.element_size() for w in weights),
        adapted=len(changes),
        rank=max((change.down.shape[0] for change in changes.values()), default=0),
        brought=tuple(sorted(whole)),
    )


def linear_modules(network: PreTrainedModel) -> dict[str, nn.Module]:
    """The modules whose weight LoRA can change alone: linear ones that share it with no other module, by name."""
    owners = _owners(network)
    return {
        name: module
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear | Conv1D) and owners[module.weight] == 1
    }


def _embeddings(network: PreTrainedModel) -> dict[str, nn.Module]:
    return {name: module for name, module in network.named_modules() if isinstance(module, nn.Embedding)}


def _owners(network: PreTrainedModel) -> Counter[Tensor]:
    """In how many modules each weight is."""
    owners: Counter[Tensor] = Counter()
    for module in network.modules():
        owners.update(dict.fromkeys(module.parameters(recurse=False), 1))
    return owners


def _tensors(name: str, adapter: Adapter) -> dict[str, Tensor]:
    """The adapter's tensors by the names that the base gives them."""
    tensors: dict[str, Tensor] = {}
    for raw, tensor in load_file(adapter.weights).items():
        if REPLACED in raw:
            continue
        key = raw.removeprefix(PREFIX)
        for wrapped in WRAPPED:
            key = key.replace(wrapped, ".")
        again = tensors.setdefault(key, tensor)
        if not tensor.is_floating_point() or (again is not tensor and not torch.equal(again, tensor)):
            raise _misfit(name, raw)
    if not tensors:
        raise HeadlightError(f"{name}: its {adapter.weights.name} holds no tensor; get its files again.")
    return tensors


def _changes(name: str, tensors: Mapping[str, Tensor], adapter: Adapter) -> Iterator[tuple[str, Change]]:
    """What is added to each module, checked for itself."""
    settings = adapter.settings
    modules = dict.fromkeys(key.removesuffix(part) for key in tensors for part in PARTS if key.endswith(part))
    for module in sorted(modules):
        pairs = [(tensors.get(module + down), tensors.get(module + up)) for down, up in (LINEAR, EMBEDDING)]
        down, up = next((pair for pair in pairs if pair != (None, None)), (None, None))
        lengths = next((tensors[module + part] for part in LENGTHS if module + part in tensors), None)
        named = not settings.targets or module.endswith(settings.targets)
        if down is None or up is None or not named or (lengths is not None) != settings.direction:
            raise _misfit(name, module)
        rank = settings.rank_of(module)
        if down.dim() != 2 or up.dim() != 2 or down.shape[0] != rank or up.shape[1] != rank:
            raise _misfit(name, module)
        yield module, Change(down, up, lengths)


def _part(module: nn.Module, shared: set[Tensor]) -> None:
    """Give a module a weight of its own where it shares one: what is added to it must not reach the others."""
    if isinstance(weight := getattr(module, "weight", None), nn.Parameter) and weight in shared:
        module.weight = nn.Parameter(weight.clone(), requires_grad=False)


def _add(name: str, path: str, module: nn.Module, change: Change, settings: Settings) -> None:
    """Add to one module. An embedding is a linear layer of one-hot rows that keeps its weight as (in, out)."""
    turned = isinstance(module, Conv1D | nn.Embedding)
    weight: Any = module.weight
    shape = weight.T.shape if turned else weight.shape  # (out, in)
    if weight.is_meta or shape != (change.up.shape[0], change.down.shape[1]):
        raise _misfit(name, path)
    original = (weight.T if turned else weight).float().cpu()  # (out, in)
    scale = settings.scale_of(path)
    merged = original + scale * (change.up.float() @ change.down.float())  # (out, R) @ (R, in) -> (out, in)
    if change.lengths is not None:
        lengths = change.lengths.float()  # (out)
        if lengths.shape != merged.shape[:1]:
            raise _misfit(name, path)
        merged *= (lengths / torch.linalg.norm(merged, dim=1))[:, None]
    weight.copy_(merged.T if turned else merged)


def _misfit(name: str, key: str) -> HeadlightError:
    return HeadlightError(
        f"{name}: its adapter does not fit its base ({shown(key)} has no place there); choose the base that it was "
        "trained on."
    )
