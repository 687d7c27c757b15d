"""Where a model's name leads: an entry of the catalogue, a folder, a file, or what was downloaded from the hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.catalogue import find
from core.models.hub import hub_id, snapshot
from core.models.quoting import shown
from core.models.wording import worded

# What a single file of weights is called; a folder is made of it, with a config that its tensors tell.
SINGLE_FILES = (".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt")


@dataclass(frozen=True)
class Place:
    """A folder to open.

    name      what to show for it; a folder's path would carry the names of one machine into every caption
    revision  where the catalogue or the hub tells one; else the weights name themselves
    known     whether it is of the catalogue, and nothing in its files has to be distrusted
    """

    folder: Path
    name: str
    revision: str | None
    known: bool


def place_of(name: str, job: Job | None = None) -> Place:
    """Where a name leads. Raises HeadlightError, one sentence, where that is nowhere on this machine."""
    if entry := find(name):
        folder = entry.open_folder(job)
        return Place(folder, name, entry.revision(folder), known=True)
    with worded(f"{shown(name)} is no path that this machine can have: check it."):  # for instance one too long
        path = Path(name).expanduser()
        if any((path / config).is_file() for config in ("config.json", "adapter_config.json")):
            return Place(path, path.resolve().name, None, known=False)
        if path.suffix.lower() in SINGLE_FILES and path.is_file():
            return _of_a_file(path, job)
    return _downloaded(name)


def _of_a_file(path: Path, job: Job | None) -> Place:
    from core.models.preparing import prepared_file

    return Place(prepared_file(path, job), path.stem, None, known=False)


def _downloaded(name: str) -> Place:
    if (wanted := hub_id(name)) is None:
        raise HeadlightError(
            f"{shown(name)} is neither in the catalogue, nor a folder with a config.json, nor a name on the hub such "
            "as owner/name: check name or path."
        )
    if (folder := snapshot(wanted)) is None:
        raise HeadlightError(
            f"{shown(name)} is neither in the catalogue nor a folder with a config.json nor downloaded from the hub: "
            "check the name, or download it first."
        )
    return Place(folder, str(wanted), folder.name[:12], known=False)
