"""The tokenizer of a model of the catalogue: its files, saved again, and what it makes of a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job
from core.models.catalogue import find
from core.models.opening.tokenizer_files import AS_IT_IS, TOKENIZER_FILES
from core.models.quoting import shown
from core.models.shipped import shipped_called
from core.models.wording import worded

_SIGNS = (*TOKENIZER_FILES, "tokenizer_config.json")


def save_tokenizer(name: str, folder: Path, job: Job | None = None) -> None:
    """Write a catalogue model's tokenizer into a folder, so that a model of any other kind can have it.

    Copied files would be read in the way of the other model's kind where they do not say their own.
    Raises HeadlightError where there is no such model, where it is not here, and where it has no tokenizer of its own.
    """
    tokenizer = _opened(name, job)
    with worded(f"The tokenizer of {name} cannot be written: try again, or choose another."):
        tokenizer.save_pretrained(folder)
        path = folder / "tokenizer_config.json"
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        # How many tokens its own model reads says nothing about the other.
        told.pop("model_max_length", None)
        if tokenizer.is_fast:
            told["tokenizer_class"] = AS_IT_IS
        path.write_text(json.dumps(told, ensure_ascii=False, indent=2), encoding="utf-8")


def pieces_of(name: str, text: str, job: Job | None = None) -> list[str]:
    """The pieces of a text, special tokens included. Raises HeadlightError as `save_tokenizer` does."""
    tokenizer = _opened(name, job)
    with worded(f"The tokenizer of {name} cannot read “{shown(text)}”: change it."):
        ids = tokenizer(text, split_special_tokens=True)["input_ids"]
        return [str(piece) for piece in tokenizer.convert_ids_to_tokens(ids)]


def _opened(name: str, job: Job | None) -> Any:
    from core.models.opening.tokenizer_opening import open_tokenizer  # brings torch along

    folder = tokenizer_folder(name, job)
    with worded(f"The tokenizer of {name} cannot be read: choose another model."):
        tokenizer: Any = open_tokenizer(folder)
    if not type(tokenizer).__module__.startswith("transformers."):
        raise HeadlightError(f"The tokenizer of {name} reads for that model alone: choose another model.")
    return tokenizer


def tokenizer_folder(name: str, job: Job | None = None) -> Path:
    """Where its files lie: those of an adapter's base, where it is one."""
    entry = find(name)
    if entry is None:
        raise HeadlightError(f"{shown(name)} is no model of the catalogue: choose one that is listed.")
    folder = entry.open_folder(job)
    if any((folder / file).is_file() for file in _SIGNS):
        return folder
    trained = shipped_called(name)
    if trained is not None and trained.base is not None and trained.base != name:
        return tokenizer_folder(trained.base, job)
    raise HeadlightError(f"{name} has no tokenizer of its own: choose another model.")
