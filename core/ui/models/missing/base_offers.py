"""Which models an adapter may be added to: its matrices held against the shapes of whole models, from headers alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from core.errors import HeadlightError
from core.models.catalogue import in_folders
from core.models.checking_files import header_of, state_dict_of
from core.models.guessing.tensors import bare
from core.models.hub import weight_files
from core.models.quoting import shown
from core.models.shipped import shipped_called

Shape = tuple[int, ...]
NO_MODELS: Mapping[str, Path] = MappingProxyType({})
PREFIX = "base_model.model."
# How peft names the two matrices of a change, with or without the adapter's own name.
_DOWN = (".lora_A.weight", ".lora_A.default.weight")
# What names of this session's own models end with, see `core.ui.own_models`.
_OWN = re.compile(r" \(own\)( \(\d+\))?$")


@dataclass(frozen=True)
class BaseOffer:
    """A model that an adapter may be added to.

    base    a name of the catalogue, or a folder of the upload or of this session
    share   of the modules that the adapter changes, those that it has with the same shape; None where nobody looked
    """

    base: str | Path
    label: str
    sentence: str
    share: float | None
    is_named: bool


def base_offers(
    tensors: Mapping[str, Shape], named: str | None, beside: tuple[Path, ...], own: Mapping[str, Path] = NO_MODELS
) -> tuple[BaseOffer, ...]:
    """The models that the changed modules fit, the likeliest first; those that none of them fits are left out.

    named: what the adapter calls its base. beside: whole models of the same upload. own: folders of the models that
    this session has open, by name; adapters among them are no base.
    """
    changed = changed_modules(tensors)
    offers = [_offer(folder, folder.name, "It came in the same upload", folder, changed, named) for folder in beside]
    offers += [
        _offer(folder, name, "It is open in this session", folder, changed, named)
        for name, folder in own.items()
        if not (folder / "adapter_config.json").is_file()
    ]
    offers += [
        _offer(name, name, "A model of the catalogue", folder, changed, named) for name, folder in _of_catalogue()
    ]
    fitting = [offer for offer in offers if offer.share != 0 and (offer.share is not None or offer.is_named)]
    # Of equals the first: those beside the adapter come before those of this session, and these before the catalogue.
    return tuple(sorted(fitting, key=lambda offer: (-(offer.share or 0), not offer.is_named)))


def changed_modules(tensors: Mapping[str, Shape]) -> dict[str, tuple[int, int]]:
    """Bare name of each weight that a LoRA adapter changes -> (out, in), as its two matrices have them."""
    found: dict[str, tuple[int, int]] = {}
    for name, down in tensors.items():
        end = next((end for end in _DOWN if name.endswith(end)), None)
        if end is None:
            continue
        up = tensors.get(name.removesuffix(end) + end.replace("lora_A", "lora_B"), ())
        if len(down) == len(up) == 2:
            found[bare(name.removesuffix(end).removeprefix(PREFIX) + ".weight")] = (up[0], down[1])
    return found


def shapes_in(folder: Path) -> dict[str, Shape]:
    """Bare name of each tensor of a model's folder -> shape, from headers; {} where they cannot be read."""
    found: dict[str, Shape] = {}
    try:
        for file in weight_files(folder):
            entries = header_of(file).tensors if file.suffix == ".safetensors" else state_dict_of(file).tensors
            found |= {bare(name): entry.shape for name, entry in entries.items()}
    except (HeadlightError, OSError):
        return {}
    return found


def share_of(changed: Mapping[str, tuple[int, int]], shapes: Mapping[str, Shape]) -> float:
    """How many of the changed weights a model has, with that shape or its transpose; 0 to 1."""
    fitting = sum(shapes.get(name) in (shape, shape[::-1]) for name, shape in changed.items())
    return fitting / len(changed) if changed else 0.0


def _of_catalogue() -> Iterator[tuple[str, Path]]:
    """Whole models of the catalogue that are here, with their folders."""
    for entry, folder in in_folders():
        trained = shipped_called(entry.name)
        if trained is None or trained.base is None:
            yield entry.name, folder


def _offer(
    base: str | Path,
    label: str,
    where: str,
    folder: Path,
    changed: Mapping[str, tuple[int, int]],
    named: str | None,
) -> BaseOffer:
    shapes = shapes_in(folder)
    share = share_of(changed, shapes) if shapes and changed else None
    is_named = named is not None and _last(named) == _last(label)
    told = [where]
    if is_named:
        told.append("the adapter's own config names it")
    if share is not None:
        told.append(f"it has {_counted(round(share * len(changed)), len(changed))}, {_example(changed)} among them")
    return BaseOffer(base, shown(label), f"{'; '.join(told)}.", share, is_named)


def _counted(fitting: int, count: int) -> str:
    of = "all" if fitting == count else f"{fitting:,} of the"
    return f"{of} {count:,} weights that the adapter changes, with their shapes"


def _example(changed: Mapping[str, tuple[int, int]]) -> str:
    name, (rows, columns) = next(iter(changed.items()))
    return f"{shown(name)} ({rows}, {columns})"


def _last(name: str) -> str:
    return _OWN.sub("", name).replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
