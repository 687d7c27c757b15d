"""A whole model of an upload put into a folder: config, weights under the names that load expects, tokenizer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.json_files import object_in
from core.models.finding import Candidate
from core.models.folders import roots
from core.models.hub import MODULES, READING, SETTINGS, weight_files
from core.models.opening.prepared import assumed_in
from core.models.opening.tokenizer_files import ALL_FILES
from core.models.pooling import home_of, modules_of
from core.models.preparing.choices import Choices
from core.models.preparing.filling import Filling
from core.models.preparing.known_files import (
    CONFIG,
    GENERATION,
    LONGEST_JSON,
    LONGEST_TOKENIZER,
    TOLD,
)
from core.models.preparing.naming import Naming, loads_as_named, naming
from core.models.preparing.ties import TIES, UNTIED, are_untied
from core.models.preparing.weight_files import put, read_all, shapes_of
from core.models.quoting import shown
from core.models.tokenizing import write_tokenizer


def put_model(candidate: Candidate, choices: Choices, into: Filling) -> str:
    """Put a model into a folder, and say whether its weights came as "safetensors" or "pickle".

    Raises HeadlightError where its architecture was not chosen, and what reading and writing its files raises.
    """
    config = config_of(candidate, choices)
    files = read_all(candidate.weights)
    is_pickled = any(file.header is None for file in files)
    shapes = shapes_of(files)
    named = naming(shapes, config)
    if not is_pickled and loads_as_named(named):
        # Linked as they are: another name is not worth a second copy of the numbers.
        named = replace(named, names={name: name for name in shapes}, notes=())
    made = put(files, named, into)
    into.notes.extend(named.notes)
    if choices.config is not None and TIES not in config and are_untied(named, made):
        choices = replace(choices, config=config | {TIES: False})
        into.notes.append(UNTIED)
    put_config(candidate, choices, into)
    put_optional(candidate.root / GENERATION, into)
    put_optional(candidate.root / TOLD, into)
    put_tokenizer(candidate, choices, into)
    put_pooling(candidate.root, into)
    if choices.config is None:
        into.assumed.extend(assumed_in(candidate.root))
    return "pickle" if is_pickled else "safetensors"


def config_of(candidate: Candidate, choices: Choices) -> dict[str, Any]:
    """What config.json will say. Raises HeadlightError where it would not name an architecture."""
    config = dict(choices.config) if choices.config is not None else {}
    if not config and candidate.config is not None:
        config = object_in(candidate.config, LONGEST_JSON)
    if not config.get("model_type"):
        called = shown(choices.name or candidate.name)
        raise HeadlightError(f"What architecture “{called}” has is not in its files: choose one of the guesses.")
    return config


def put_config(candidate: Candidate, choices: Choices, into: Filling) -> None:
    """Write the config that was chosen, or the candidate's own as it is."""
    if choices.config is not None or candidate.config is None:
        into.write_json(CONFIG, dict(choices.config or {}))
    else:
        into.copy(candidate.config, CONFIG, LONGEST_JSON)


def put_tokenizer(candidate: Candidate, choices: Choices, into: Filling) -> None:
    """Write the tokenizer that was chosen, or take over the candidate's own files, if it has any."""
    if choices.tokenizer is not None:
        before = _written(into.folder)
        into.notes.extend(write_tokenizer(choices.tokenizer, into.folder, into.job))
        into.count(_written(into.folder) - before)
    elif candidate.tokenizer is not None:
        for name in ALL_FILES:
            put_optional(candidate.tokenizer / name, into, LONGEST_TOKENIZER)


def put_pooling(root: Path, into: Filling) -> None:
    """Take over how sentence-transformers reads texts and pools states, the weights of its modules as safetensors."""
    if (home := home_of(root)) is None:
        return
    for name in READING:
        put_optional(root / name, into)
    put_optional(home / SETTINGS, into)
    try:
        (network, _), *later = modules_of(home)
    except HeadlightError:  # opening it says why its states cannot be pooled
        put_optional(home / MODULES, into)
        return
    into.write_json(MODULES, [{"type": network, "path": ""}, *({"type": kind, "path": path} for kind, path in later)])
    for path in {path for _, path in later if _lies_in(home / path, home)}:
        below = into.below(path)
        put_optional(home / path / CONFIG, below)
        if weights := [file for file in weight_files(home / path) if _lies_in(file, home)]:
            files = read_all(weights)
            put(files, Naming({name: name for name in shapes_of(files)}), below)


def put_optional(file: Path, into: Filling, most: int = LONGEST_JSON) -> None:
    """Copy a file, if it is there; a link that leads out of its folder and of HEADLIGHT_MODELS is not followed."""
    if file.is_file() and _lies_in(file, file.parent):
        into.copy(file, file.name, most)


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether a path is there and leads, with links followed, to something in a folder or below HEADLIGHT_MODELS."""
    return path.exists() and any(path.resolve().is_relative_to(place) for place in (folder.resolve(), *roots()))


def _written(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
