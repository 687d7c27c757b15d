"""The model that an adapter was trained on: what it is called, and where it may lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.catalogue import find
from core.models.finding.results import Candidate
from core.models.quoting import shown

_LONGEST = 255
# A folder of this name in the adapter's own is its base, as `core.models.adapters.adapter` reads it.
BESIDE = "base"


def base_of(settings: Mapping[str, Any], training: Mapping[str, Any]) -> str | None:
    """What an adapter calls its base: in the training.json of Headlight, or in its adapter_config.json."""
    head = training.get("shipped")
    named = head.get("base") if isinstance(head, dict) else None
    base = named if isinstance(named, str) else settings.get("base_model_name_or_path")
    if not isinstance(base, str) or not base.strip():
        return None
    return base if base.isprintable() and len(base) <= _LONGEST else shown(base)


def bases_of(adapter: Candidate, models: Sequence[Candidate]) -> tuple[tuple[Path, ...], bool]:
    """Whole models of the upload, the likeliest base first, and whether the base is beyond doubt.

    It is where a model lies in the adapter's own folder `base`, which is then the only one, and where the catalogue has
    the name and can open it, and the upload has no other.
    """
    whole = dict.fromkeys(model.root for model in models if _is_whole(model))
    called = (adapter.base or "").replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    beside = adapter.root / BESIDE
    if beside in whole:
        return (beside,), True
    bases = sorted(whole, key=lambda root: (root.name.lower() != called, root != adapter.root))
    return tuple(bases), not bases and adapter.base is not None and _is_here(adapter.base)


def _is_here(name: str) -> bool:
    try:
        return (entry := find(name)) is not None and entry.locate().is_dir()
    except HeadlightError:
        return False


def _is_whole(model: Candidate) -> bool:
    return model.kind == "model" and not (model.lacks("config") or model.lacks("model_type"))
