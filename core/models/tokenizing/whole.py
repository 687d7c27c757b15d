"""A tokenizer.json that a user chose: taken over as it is, with the names of its special tokens beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_files.telling import Wrong, distrusted
from core.models.quoting import shown
from core.models.tokenizing.choices import Specials
from core.models.tokenizing.names import Named, named
from core.models.tokenizing.specifications import Part
from core.models.tokenizing.vocabularies import read_bounded, text_of

_ROLES = {"unknown": "unk", "start": "bos", "end": "eos", "pad": "pad", "mask": "mask"}


def whole_file(path: Path, specials: Specials) -> tuple[Part, Named]:
    """Its specification and names. What the library makes of it is tried by whoever writes or loads it.

    Raises HeadlightError for a file that is no such JSON, and where it lacks a name.
    """
    told = _read(path)
    ids = _ids(told)
    _require(specials, ids, path)
    return told, named(_beside(path, specials, ids), ids)


def ids_in(path: Path) -> dict[str, int]:
    """The tokens that it names. Raises HeadlightError for a file that is no such JSON."""
    return _ids(_read(path))


def _read(path: Path) -> Part:
    told = _json_in(path)
    with distrusted(path):
        if not isinstance(told, dict) or not isinstance(told.get("model"), dict):
            raise Wrong("it describes no tokenizer", "choose another file")
        return told


def _json_in(path: Path) -> Any:
    data = read_bounded(path)
    with distrusted(path):
        try:
            return json.loads(text_of(data))
        except RecursionError as error:
            raise Wrong("it is nested too deeply", "choose another file") from error
        except ValueError as error:
            raise Wrong("it is no JSON") from error


def _ids(told: dict[str, Any]) -> dict[str, int]:
    """All tokens that it names, with ids where they are whole numbers."""
    listed = told["model"].get("vocab")
    if isinstance(listed, dict):
        pairs = list(listed.items())
    else:
        entries = listed if isinstance(listed, list) else []
        pairs = [(entry[0], number) for number, entry in enumerate(entries) if isinstance(entry, list) and entry]
    added = told.get("added_tokens")
    for token in added if isinstance(added, list) else []:
        if isinstance(token, dict):
            pairs.append((token.get("content"), token.get("id")))
    return {name: number for name, number in pairs if isinstance(name, str) and type(number) is int}


def _require(specials: Specials, ids: dict[str, int], path: Path) -> None:
    lacking = next((name for name in vars(specials).values() if name and name not in ids), None)
    if lacking is not None:
        raise HeadlightError(f"{shown(path.name)} has no token “{shown(lacking)}”: name one that it has.")


def _beside(path: Path, specials: Specials, ids: dict[str, int]) -> Specials:
    """The names that a tokenizer_config.json beside the file tells, where the user says nothing."""
    try:
        told = _json_in(path.with_name("tokenizer_config.json"))
    except HeadlightError:
        return specials
    found = {}
    for purpose, role in _ROLES.items():
        name = told.get(f"{role}_token") if isinstance(told, dict) else None
        name = name.get("content") if isinstance(name, dict) else name
        if getattr(specials, purpose) is None and isinstance(name, str) and name in ids and not name.isspace():
            found[purpose] = name
    return replace(specials, **found)
