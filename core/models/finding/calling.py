"""What a model is called until somebody chooses another name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.models.finding.results import Candidate
from core.models.finding.walking import place_of
from core.models.intake.owners import PREFIX
from core.models.quoting import shown

# Names of files that say nothing of the model in them.
_PLAIN = frozenset({
    "model", "pytorch_model", "adapter_model", "checkpoint", "state_dict", "weights", "best", "last", "latest", "final",
    "consolidated",
})  # fmt: skip


def name_of(folder: Path, parts: tuple[str, ...], stem: str, config: Mapping[str, Any] | None) -> str:
    """A name from that of the file, where it tells something, or the folder, the config, and the file again.

    folder: where the search began. parts: of the path from there to the weights.
    """
    if stem.lower() not in _PLAIN:
        return shown(stem)
    # The folder of an upload is called like any other.
    own = parts[-1] if parts else "" if folder.parent.name.startswith(PREFIX) else folder.name
    return shown(own) if own and own.lower() not in _PLAIN else shown(_stated(config or {}) or stem)


def told_apart(candidates: Sequence[Candidate], folder: Path) -> tuple[Candidate, ...]:
    """The same candidates, where two have one name with their folder or a number behind it."""
    names: list[str] = []
    for candidate in candidates:
        twice = sum(other.name == candidate.name for other in candidates) > 1
        place = place_of(candidate.root.relative_to(folder).parts)
        name = shown(f"{candidate.name} ({place})") if twice and place not in ("", candidate.name) else candidate.name
        numbered = (name if number == 1 else f"{name} ({number})" for number in range(1, len(names) + 2))
        names.append(next(each for each in numbered if each not in names))
    return tuple(replace(candidate, name=name) for candidate, name in zip(candidates, names, strict=True))


def _stated(config: Mapping[str, Any]) -> str:
    """What a config calls its model: the last part of a path or a hub's name, or its family."""
    for key in ("_name_or_path", "model_type"):
        value = config.get(key)
        if isinstance(value, str) and (last := value.replace("\\", "/").rstrip("/").rpartition("/")[2].strip(" .")):
            return last
    return ""
