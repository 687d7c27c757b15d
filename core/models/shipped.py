"""The trained models of this checkout: each folder in `core/zoo/weights` is one, told by its training.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType
from typing import Any

from core.models.shipped_facts import sound

WEIGHTS = Path(__file__).parents[1] / "zoo" / "weights"
# In the order in which they are listed.
GROUPS = ("translation", "sentiment", "language-model")
# Rank of what is there to be studied beside others: further seeds, adversaries, twins.
STUDY = 2
CARD, TOLD = "README.md", "training.json"
WHOLE = ("config.json", "model.safetensors", "tokenizer.json")
ADAPTER = ("config.json", "adapter_config.json", "adapter_model.safetensors")
_SIGNS = (TOLD, "config.json", "adapter_config.json")
MOST_BYTES = 1 << 24


@dataclass(frozen=True)
class Shipped:
    """A trained model of this checkout.

    name      of its folder, and what `core.load` calls it
    group     one of GROUPS; "" for a damaged folder, like the other texts
    summary   one line: what it is and what it was trained for
    licence   of the weights
    rank      0 the main model of a task, 1 its siblings, STUDY study material
    base      catalogue name of the model that an adapter is added to; None for a model of its own
    told      its training.json: scores, tables, quality by length and more; empty for a damaged folder
    """

    name: str
    folder: Path
    group: str
    summary: str
    licence: str
    rank: int
    base: str | None
    told: Mapping[str, Any]

    @property
    def nbytes(self) -> int:
        """What its files take on the disk; 0 for a folder that cannot be looked into."""
        try:
            return sum(file.stat().st_size for file in self.folder.iterdir() if file.is_file())
        except OSError:
            return 0

    @property
    def unavailable(self) -> str | None:
        """None, or one sentence why its files cannot be opened."""
        remedy = f"get the folder {self.folder.name} of core/zoo/weights again"
        if not self.told:
            return f"{self.name}: its {TOLD} is missing or damaged; {remedy}."
        files = WHOLE if self.base is None else ADAPTER
        lost = next((file for file in files if not (self.folder / file).is_file()), None)
        return f"{self.name}: the file {lost} is missing; {remedy}." if lost else None


def shipped() -> tuple[Shipped, ...]:
    """All of them, by group, rank and name, those of damaged folders last. Costs a glance at each folder."""
    try:
        folders = [f for f in WEIGHTS.iterdir() if f.is_dir() and f.name[0] not in "._"]
    except OSError:
        return ()
    found = [_shipped(folder) for folder in folders if _is_named(folder) and any(map(Path.is_file, _signs(folder)))]
    return tuple(sorted(found, key=lambda one: (not one.told, _place(one.group), one.rank, one.name)))


def shipped_called(name: str) -> Shipped | None:
    """The one of that name, or None."""
    return next((one for one in shipped() if one.name == name), None)


def _signs(folder: Path) -> list[Path]:
    return [folder / sign for sign in _SIGNS]


def _is_named(folder: Path) -> bool:
    """Whether its name is Unicode, as what goes into a page and an address has to be."""
    try:
        folder.name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shipped(folder: Path) -> Shipped:
    try:
        seen = (folder / TOLD).stat()
        # A pipe would keep its reader waiting for ever.
        told = _told(folder / TOLD, seen.st_mtime_ns, seen.st_size) if S_ISREG(seen.st_mode) else {}
    except OSError:
        told = {}
    head = told.get("shipped", {})
    return Shipped(
        name=folder.name,
        folder=folder,
        group=head.get("group", ""),
        summary=head.get("summary", ""),
        licence=head.get("licence", ""),
        rank=head.get("rank", STUDY),
        base=head.get("base") or None,
        told=told,
    )


@lru_cache(maxsize=256)
def _told(path: Path, changed: int, nbytes: int) -> Mapping[str, Any]:
    """A training.json that says what the catalogue needs, read again when the file has changed; else nothing."""
    try:
        told = json.loads(path.read_text(encoding="utf-8")) if nbytes <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return MappingProxyType({})
    return MappingProxyType(sound(told) if isinstance(told, dict) and _is_whole(told.get("shipped")) else {})


def _is_whole(head: Any) -> bool:
    return (
        isinstance(head, dict)
        and all(isinstance(head.get(name), str) for name in ("group", "summary", "licence"))
        and head["group"] in GROUPS
        and type(head.get("rank")) is int
        and isinstance(head.get("base"), str | None)
    )


def _place(group: str) -> int:
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)
