"""Models of the Hugging Face hub as far as this machine's disk knows them; nothing here asks the network.

The hub's own cache is used, at HF_HOME: what other programs fetched opens here, and the other way round.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError

DEFAULT_REVISION = "main"
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_-])?"
_ID = re.compile(rf"(?P<repo>{_PART}(?:/{_PART})?)(?:@(?P<revision>[A-Za-z0-9][A-Za-z0-9_./-]{{0,127}}))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
WEIGHTS = re.compile(r"(?:model|pytorch_model)(?:-\d{5}-of-\d{5})?\.(?:safetensors|bin)")
INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
# In the order in which transformers looks for them.
WHOLE = (("model.safetensors", INDEXES[0]), ("pytorch_model.bin", INDEXES[1]))
# Of sentence-transformers: its modules, its settings, how the network is read (by the names that the library looks for,
# one after the other), and the folders of the modules after the network.
MODULES, SETTINGS = "modules.json", "config_sentence_transformers.json"
READING = tuple(
    f"sentence_{family}_config.json"
    for family in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
LATER = re.compile(r"[1-9]\d?_\w+", re.ASCII)


@dataclass(frozen=True)
class HubId:
    """A model of the hub: its repository, "owner/name" or a bare name, and a branch, tag or commit of it."""

    repo: str
    revision: str = DEFAULT_REVISION

    def __str__(self) -> str:
        return self.repo if self.revision == DEFAULT_REVISION else f"{self.repo}@{self.revision}"

    @property
    def storage(self) -> Path:
        """The hub cache's folder for the repository; it need not exist."""
        from huggingface_hub import constants

        return Path(constants.HF_HUB_CACHE) / f"models--{self.repo.replace('/', '--')}"


def hub_id(name: str) -> HubId | None:
    """The model that "owner/name", "name" or "owner/name@revision" stands for, or None: no path, no address."""
    found = _ID.fullmatch(name)
    if found is None:
        return None
    revision = found["revision"] or DEFAULT_REVISION
    # Two hyphens would name another repository's folder in the cache; two dots would leave the cache.
    if "--" in found["repo"] or ".." in name or "//" in revision or revision.endswith(("/", ".", ".lock")):
        return None
    return HubId(found["repo"], revision)


def snapshot(wanted: HubId) -> Path | None:
    """The folder with all files that opening the model needs, or None where some are not on this machine."""
    try:
        if (commit := _commit_of(wanted)) is None:
            return None
        folder = wanted.storage / "snapshots" / commit
        return folder if (folder / "config.json").is_file() and weight_files(folder) else None
    except (OSError, HeadlightError):
        return None


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The weight files that a folder opens with: safetensors before .bin, one file or all that its index names.

    Empty where there are none. Raises HeadlightError when an index is damaged or names what is not there.
    """
    for single, index in WHOLE:
        if (folder / single).is_file():
            return (folder / single,)
        if (folder / index).is_file():
            return tuple(folder / name for name in _shards(folder / index))
    return ()


def _shards(index: Path) -> list[str]:
    damaged = f"{index.name} is damaged: get it again."
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HeadlightError(damaged) from error
    if not names or not all(isinstance(name, str) and "/" not in name and "\\" not in name for name in names):
        raise HeadlightError(damaged)
    for name in sorted(names):
        if not (index.parent / name).is_file():
            raise HeadlightError(f"The weight file {name}, which {index.name} names, is missing: get it again.")
    return sorted(names)


def _commit_of(wanted: HubId) -> str | None:
    if _COMMIT.fullmatch(wanted.revision):
        return wanted.revision
    reference = wanted.storage / "refs" / wanted.revision
    commit = reference.read_text().strip() if reference.is_file() else ""
    return commit if _COMMIT.fullmatch(commit) else None
