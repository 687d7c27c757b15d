"""An adapter of an upload put into a folder: its own tensors, and its base below it or by a name of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.catalogue import based_on, find
from core.models.checking_configs.json_files import object_in
from core.models.finding import Candidate, found
from core.models.preparing.choices import Choices
from core.models.preparing.filling import Filling
from core.models.preparing.known_files import ADAPTER_CONFIG, ADAPTER_WEIGHTS, CONFIG, LONGEST_JSON, TOLD
from core.models.preparing.models import put_model, put_pooling, put_tokenizer
from core.models.preparing.naming import Naming
from core.models.preparing.tasks import config_for
from core.models.preparing.weight_files import put, read_all, shapes_of
from core.models.quoting import shown

BASE = "base"


def put_adapter(candidate: Candidate, choices: Choices, into: Filling) -> None:
    """Put an adapter into a folder, with all that opening it needs.

    Raises HeadlightError where its base is not told or not here, and what reading and writing its files raises.
    """
    called = choices.name or candidate.name
    base = _base_of(candidate, choices, called)
    config = candidate.root / ADAPTER_CONFIG
    told = object_in(config, LONGEST_JSON)
    files = read_all(candidate.weights)
    if len(files) != 1:
        raise HeadlightError(f"The adapter “{shown(called)}” is in several files: save it once more with peft.")
    shapes = shapes_of(files)
    into.copy(config, ADAPTER_CONFIG, LONGEST_JSON)
    put(files, Naming({name: name for name in shapes}), into, ADAPTER_WEIGHTS)
    base_config = _put_base(base, candidate, into)
    _put_config(candidate, choices, config_for(base_config, told.get("task_type"), shapes), into)
    put_tokenizer(candidate, choices, into)
    put_pooling(candidate.root, into)


def _base_of(candidate: Candidate, choices: Choices, called: str) -> str | Path:
    """The base chosen, or the one that its files leave no doubt about. Raises HeadlightError where they do."""
    if choices.base is not None:
        return choices.base
    if len(candidate.bases) == 1:
        return candidate.bases[0]
    shipped = _told_of(candidate).get("shipped")
    told = shipped.get("base") if isinstance(shipped, dict) else None
    named = next((name for name in (told, candidate.base) if isinstance(name, str) and find(name)), None)
    if named is None:
        raise HeadlightError(
            f"What “{shown(called)}” is to be added to is not in its files: choose its base, or bring it along."
        )
    return named


def _told_of(candidate: Candidate) -> dict[str, Any]:
    """What our own training has told beside it."""
    told = candidate.root / TOLD
    return object_in(told, LONGEST_JSON) if told.is_file() else {}


def _put_base(base: str | Path, candidate: Candidate, into: Filling) -> dict[str, Any]:
    """Put the base below the adapter, or its name beside it, and return what the base's config says."""
    told = _told_of(candidate)
    if isinstance(base, Path):
        whole = next(
            (one for one in found(base, into.job).candidates if one.kind == "model" and one.root == base), None
        )
        if whole is None:
            raise HeadlightError(
                f"What lies in “{shown(base.name)}” is no whole model, which a base has to be: choose another."
            )
        below = into.below(BASE)
        put_model(whole, Choices(), below)
        if told:
            into.write_json(TOLD, told)
        return object_in(below.folder / CONFIG, LONGEST_JSON)
    entry = based_on(candidate.name, base)
    shipped = told.get("shipped")
    into.write_json(TOLD, told | {"shipped": (shipped if isinstance(shipped, dict) else {}) | {"base": entry.name}})
    return object_in(entry.open_folder(into.job) / CONFIG, LONGEST_JSON)


def _put_config(candidate: Candidate, choices: Choices, made: dict[str, Any], into: Filling) -> None:
    own = candidate.config or candidate.root / CONFIG
    if choices.config is not None:
        into.write_json(CONFIG, dict(choices.config))
    elif own.name == CONFIG and own.is_file():
        into.copy(own, CONFIG, LONGEST_JSON)
    else:
        into.write_json(CONFIG, made)
