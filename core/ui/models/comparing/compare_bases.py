"""Which model another one was probably fine-tuned from: told from the names and shapes in their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.models.adapters.settings import MOST_BYTES
from core.models.catalogue import find, in_folders
from core.models.checking_configs.json_files import object_or_nothing
from core.models.finding.bases import BESIDE
from core.models.finding.naming import TRAINING
from core.models.folders import below_roots
from core.ui import own_models
from core.ui.models.missing.base_offers import Shape, changed_modules, shapes_in, share_of

# Below this two networks are hardly of one architecture and size, see `core.models.moved`.
LIKE = 0.5


@dataclass(frozen=True)
class Likeness:
    """A model and how much of its tensors another has with the same names and shapes; None where nobody could look."""

    name: str
    share: float | None


def likely_bases(name: str) -> tuple[Likeness, ...]:
    """All other models that are here, those of the same tensors first, those whose files cannot be told last."""
    folder = folder_of(name)
    adapted = _adapted(folder)
    own = {} if folder is None or adapted else shapes_in(folder)
    found = [Likeness(other, _share(own, adapted, shapes_in(place))) for other, place in _others(name)]
    first = _named_base(name, folder)
    return tuple(sorted(found, key=lambda each: (each.name != first, -(each.share if each.share is not None else -1))))


def base_called(name: str) -> str:
    """What the base is called that lies in an adapter's own folder."""
    return f"{name}, its base"


def place_of(name: str, base: str) -> Path | None:
    """The folder of a base that is this session's alone: one of its models, or what lies beside an adapter."""
    return _beside(own_models.folder_of(name)) if base == base_called(name) else own_models.folder_of(base)


def _beside(folder: Path | None) -> Path | None:
    return folder / BESIDE if folder is not None and (folder / BESIDE / "config.json").is_file() else None


def _named_base(name: str, folder: Path | None) -> str | None:
    """What an adapter says it is added to: the base in its own folder, or a name of the catalogue."""
    if folder is None or _beside(folder) is not None:
        return base_called(name)
    told = object_or_nothing(folder / TRAINING, MOST_BYTES).get("shipped")
    base = told.get("base") if isinstance(told, dict) else None
    return base if isinstance(base, str) else None


def folder_of(name: str) -> Path | None:
    """Where a model's files lie; None where they are not here."""
    try:
        entry = find(name)
        return own_models.folder_of(name) or (entry.locate() if entry else below_roots(name))
    except HeadlightError:
        return None


def _adapted(folder: Path | None) -> dict[str, tuple[int, int]]:
    """The weights that an adapter changes; {} for a whole model."""
    from core.models.checking_files import header_of

    file = folder / "adapter_model.safetensors" if folder is not None else None
    if file is None or not file.is_file():
        return {}
    try:
        return changed_modules({name: entry.shape for name, entry in header_of(file).tensors.items()})
    except HeadlightError:
        return {}


def _share(
    own: Mapping[str, Shape], adapted: Mapping[str, tuple[int, int]], shapes: Mapping[str, Shape]
) -> float | None:
    if not shapes or not (own or adapted):
        return None
    if adapted:
        return share_of(adapted, shapes)
    same = sum(own.get(name) == shape for name, shape in shapes.items())
    return same / max(len(shapes), len(own))


def _others(name: str) -> Iterator[tuple[str, Path]]:
    if (beside := _beside(folder_of(name))) is not None:
        yield base_called(name), beside
    for other in own_models.names():
        folder = own_models.folder_of(other)
        if other != name and folder is not None:
            yield other, folder
    yield from ((entry.name, place) for entry, place in in_folders() if entry.name != name)
