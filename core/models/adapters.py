"""LoRA adapters: a folder with what was trained alone, added in memory to the base that it was trained on.

The base is the catalogue's entry that training.json names. What adapter_config.json says of it is not followed, and no
code of peft's runs: its configs may name modules to import, and its files may be pickles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from core.errors import HeadlightError
from core.jobs import Job
from core.models.catalogue import based_on
from core.models.hub import weight_files
from core.models.report import LoadReport
from core.models.weights import WeightFiles, tensors_in, weights_of

CONFIG, WEIGHTS, TOLD = "adapter_config.json", "adapter_model.safetensors", "training.json"
# What peft puts before every name.
PREFIX = "base_model.model."
DOWN, UP = ".lora_A.weight", ".lora_B.weight"
# Other ways to add to weights, all of them off in plain LoRA.
VARIANTS = (
    "use_dora", "use_rslora", "use_qalora", "use_bdlora", "lora_bias", "rank_pattern", "alpha_pattern",
    "layer_replication", "trainable_token_indices", "target_parameters", "alora_invocation_tokens",
)  # fmt: skip
MOST_RANK = 4_096


@dataclass(frozen=True)
class Adapter:
    """An adapter's folder, checked.

    base         the folder that it is added to
    rank, scale  W becomes W + scale · B·A with A (rank, in) and B (out, rank); scale = alpha / rank
    targets      names that the changed modules end with; () where its config gives none
    transposed   whether the base keeps W as (in, out)
    """

    folder: Path
    base: Path
    rank: int
    scale: float
    targets: tuple[str, ...]
    transposed: bool

    def files(self, name: str) -> WeightFiles:
        """The weight files that opening it reads: the base's and its own."""
        base, own = weights_of(name, self.base), self.folder / WEIGHTS
        return WeightFiles((*base.paths, own), base.tensors | tensors_in(name, own))


def adapter_of(name: str, folder: Path, job: Job | None) -> Adapter | None:
    """The adapter in a folder, or None for a folder without one.

    name: what sentences call it. Raises HeadlightError, one sentence, for an adapter that cannot be added as it is.
    """
    if not (folder / CONFIG).is_file():
        return None
    if weight_files(folder):
        raise HeadlightError(
            f"{name} holds an adapter beside whole weights, and only one of the two can be opened: move {CONFIG} to a "
            "folder of its own."
        )
    said = _read(folder / CONFIG)
    rank, alpha, targets = said.get("r"), said.get("lora_alpha"), said.get("target_modules")
    is_lora = said.get("peft_type") == "LORA" and said.get("bias", "none") == "none"
    if not is_lora or not isinstance(rank, int) or not 0 < rank <= MOST_RANK or not isinstance(alpha, int | float):
        raise HeadlightError(f"{name}: its {CONFIG} does not describe a LoRA adapter; get its files again.")
    if variants := [variant for variant in VARIANTS if said.get(variant)]:
        raise HeadlightError(
            f"{name} is no plain LoRA adapter ({variants[0]}): merge it with peft and open the result."
        )
    entry = based_on(name, _base_named(name, folder))
    known = tuple(map(str, targets)) if isinstance(targets, list) else ()
    return Adapter(folder, entry.open_folder(job), rank, alpha / rank, known, bool(said.get("fan_in_fan_out")))


def added(name: str, network: PreTrainedModel, report: LoadReport, adapter: Adapter) -> LoadReport:
    """Add an adapter to its base in place: B·A to the weights, and the tensors that it brings whole, such as a head.

    Returns the base's report with what the adapter did. Raises HeadlightError where a tensor finds no place.
    Source: Hu et al. (2022), LoRA, section 4.1.
    """
    tensors = {key.removeprefix(PREFIX): tensor for key, tensor in load_file(adapter.folder / WEIGHTS).items()}
    own = network.state_dict()
    changes = [key.removesuffix(DOWN) for key in tensors if key.endswith(DOWN)]
    whole = {key: tensor for key, tensor in tensors.items() if not key.endswith((DOWN, UP))}
    if not tensors:
        raise HeadlightError(f"{name}: its {WEIGHTS} holds no tensor; get its files again.")
    if len(tensors) != 2 * len(changes) + len(whole):
        raise _misfit(name, next(key for key in tensors if key.endswith(UP)))
    if odd := [key for key, tensor in tensors.items() if not tensor.is_floating_point()]:
        raise _misfit(name, odd[0])
    linear = linear_modules(network)
    if odd := [module for module in changes if module not in linear]:
        raise _misfit(name, odd[0])
    for module in changes:
        _add(name, own, module, tensors, adapter)
    for key, tensor in whole.items():
        if key not in own or own[key].shape != tensor.shape:
            raise _misfit(name, key)
        own[key].copy_(tensor)
    missing = tuple(key for key in report.missing if key not in whole)
    brought = len(report.missing) - len(missing)
    return replace(
        report,
        loaded=report.loaded + brought,
        missing=missing,
        random_body=tuple(key for key in report.random_body if key in missing),
        adapted=len(changes),
        rank=adapter.rank,
        brought=tuple(sorted(whole)),
    )


def linear_modules(network: PreTrainedModel) -> set[str]:
    """Names of the modules whose weight LoRA can change alone: linear ones that share it with no other module."""
    owners: Counter[Tensor] = Counter()
    for module in network.modules():
        owners.update(dict.fromkeys(module.parameters(recurse=False), 1))
    return {
        name
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear | Conv1D) and owners[module.weight] == 1
    }


@torch.no_grad()
def _add(name: str, own: Mapping[str, Tensor], module: str, tensors: Mapping[str, Tensor], adapter: Adapter) -> None:
    weight, down, up = (
        part.get(key) for part, key in ((own, f"{module}.weight"), (tensors, module + DOWN), (tensors, module + UP))
    )
    named = not adapter.targets or module.endswith(adapter.targets)
    if weight is None or down is None or up is None or not named or down.shape[0] != adapter.rank:
        raise _misfit(name, module)
    shape = weight.T.shape if adapter.transposed else weight.shape
    if up.shape[1:] != (adapter.rank,) or shape != (up.shape[0], *down.shape[1:]) or weight.is_meta:
        raise _misfit(name, module)
    change = adapter.scale * (up.float() @ down.float())  # (out, R) @ (R, in) -> (out, in)
    weight.copy_(weight.float() + (change.T if adapter.transposed else change).to(weight.device))


def _misfit(name: str, key: str) -> HeadlightError:
    return HeadlightError(f"{name}: its adapter does not fit its base ({key} has no place there); get its files again.")


def _base_named(name: str, folder: Path) -> str:
    head = _read(folder / TOLD).get("shipped")
    base = head.get("base") if isinstance(head, dict) else None
    if not isinstance(base, str):
        raise HeadlightError(
            f"{name} is an adapter, and its {TOLD} does not name its base: merge the two with peft first."
        )
    return base


def _read(path: Path) -> dict[str, Any]:
    """A JSON object; empty for a file that is not there or something else."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
