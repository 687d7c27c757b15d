"""LoRA adapters: a folder with what was trained alone, added in memory to the base that it was trained on.

The base is the folder `base` beside the adapter's files, or the catalogue's entry that training.json names. What
adapter_config.json says of it is not followed, and no code of peft's runs: its configs may name modules to import, and
its files may be pickles.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.adapters.settings import CONFIG, MOST_BYTES, Settings, settings_in
from core.models.catalogue import based_on
from core.models.checking_configs.json_files import object_or_nothing
from core.models.hub import weight_files
from core.models.opening.weights import WeightFiles, tensors_in, weights_of

WEIGHTS, TOLD, BESIDE = "adapter_model.safetensors", "training.json", "base"


@dataclass(frozen=True)
class Adapter:
    """An adapter's folder, checked.

    base     the folder that it is added to
    beside   whether that folder came with the adapter; else it is one of the catalogue, whose files are known
    """

    folder: Path
    base: Path
    beside: bool
    settings: Settings

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    @property
    def configured(self) -> Path:
        """The folder whose config.json describes the adapted network: its own, or its base's where it has none."""
        return self.folder if (self.folder / "config.json").is_file() else self.base

    def files(self, name: str) -> WeightFiles:
        """The weight files that opening it reads: the base's and its own."""
        base = weights_of(name, self.base)
        return WeightFiles((*base.paths, self.weights), base.tensors | tensors_in(name, self.weights), base.loose)


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
    settings = settings_in(name, folder)
    beside = folder / BESIDE
    if not beside.is_dir():
        return Adapter(folder, based_on(name, _base_named(name, folder)).open_folder(job), False, settings)
    if (beside / CONFIG).is_file() or not (beside / "config.json").is_file():
        raise HeadlightError(
            f"{name} is added to the model in its folder {BESIDE}, which is no whole model: put one there, with its "
            "config.json."
        )
    return Adapter(folder, beside, True, settings)


def _base_named(name: str, folder: Path) -> str:
    head = object_or_nothing(folder / TOLD, MOST_BYTES).get("shipped")
    base = head.get("base") if isinstance(head, dict) else None
    if not isinstance(base, str):
        raise HeadlightError(
            f"{name} is an adapter, and neither a folder {BESIDE} beside it nor its {TOLD} says what it is added to: "
            "put its base there, or merge the two with peft first."
        )
    return base
