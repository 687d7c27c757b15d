"""A config.json that a person types: bounded, and checked as far as it can be without building anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.sizes import check_sizes
from core.models.checking_files.telling import Wrong
from core.models.guessing import Guess
from core.models.quoting import shown
from core.ui.models.architecture.architectures import BY_HAND, classes_of

LONGEST, DEEPEST = 64_000, 16


def typed_config(text: str) -> dict[str, Any]:
    """The config in a text. Raises HeadlightError, one sentence, for anything that is no config of a known family."""
    if len(text) > LONGEST:
        raise HeadlightError(f"A config.json has at most {LONGEST:,} characters here: leave out what is not needed.")
    try:
        typed = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
        if _depth(typed) > DEEPEST:
            raise RecursionError
    except RecursionError as error:
        raise HeadlightError("This JSON is nested too deep for a config.json: write it flat.") from error
    except ValueError as error:
        where = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise HeadlightError(f"This is not JSON ({where}): correct it there.") from error
    if not isinstance(typed, dict):
        raise HeadlightError("A config.json is an object, in braces: write {…} around its values.")
    try:
        check_sizes(typed)
    except Wrong as wrong:
        raise HeadlightError(f"This config.json cannot be used, because {wrong.what}: correct it.") from wrong
    if not isinstance(kind := typed.get("model_type"), str) or not classes_of(kind):
        said = f"“{shown(kind)}”" if isinstance(kind, str) else "nothing"
        raise HeadlightError(f"It says {said} for model_type, which no library here knows: write one such as “bert”.")
    named = typed.setdefault("architectures", [classes_of(kind)[0]])
    if not (isinstance(named, list) and len(named) == 1 and named[0] in classes_of(kind)):
        raise HeadlightError(f"Its architectures must be a list of one of {', '.join(classes_of(kind))}: correct it.")
    return typed


def typed_guess(config: Mapping[str, Any]) -> Guess:
    """A typed config as if it had been guessed, to be held against the tensors."""
    named = str(config["architectures"][0])
    return Guess(str(config["model_type"]), named, dict(config), 0.0, (), (), BY_HAND, ())


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return told


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0)
