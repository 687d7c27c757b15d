"""Values from the command line: "key=value" put into the frozen dataclasses that have a field of that name."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from core.errors import HeadlightError

_SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def with_values(parts: Sequence[Any], assignments: Sequence[str]) -> tuple[Any, ...]:
    """The dataclasses with the assigned values, each key in the first part that has it.

    All values of a part are set at once, so that they need to fit only together. Raises HeadlightError for an unknown
    key or a value of the wrong kind.
    """
    wanted: list[dict[str, Any]] = [{} for _ in parts]
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise HeadlightError(f"--set {assignment} has no equals sign: write --set key=value.")
        key = key.strip().replace("-", "_")
        index = next((index for index, part in enumerate(parts) if key in _names(part)), None)
        if index is None:
            known = ", ".join(sorted(name for part in parts for name in _names(part)))
            raise HeadlightError(f"--set {key} is unknown: this recipe has {known}.")
        wanted[index][key] = _value(key, text.strip(), get_type_hints(type(parts[index]))[key])
    return tuple(replace(part, **values) for part, values in zip(parts, wanted, strict=True))


def _names(part: Any) -> list[str]:
    if not is_dataclass(part):
        raise TypeError(f"{part!r} is no dataclass")
    return [field.name for field in fields(part)]


def _value(key: str, text: str, kind: Any) -> Any:
    """A value of the kind that a field is annotated with."""
    kinds = get_args(kind) if get_origin(kind) in {types.UnionType, Union} else (kind,)
    if type(None) in kinds and text.lower() == "none":
        return None
    for option in kinds:
        if option is type(None):
            continue
        try:
            return _converted(text, option)
        except (ValueError, KeyError):
            continue
    raise HeadlightError(f"--set {key}={text}: {_wanted(kinds)} is needed there.")


def _converted(text: str, kind: Any) -> Any:
    if kind is bool:
        return _SWITCHES[text.lower()]
    if kind is int:
        return int(text)
    if kind is float:
        return float(text)
    if get_origin(kind) is Literal and text not in get_args(kind):
        raise ValueError(text)
    return text


def _wanted(kinds: Sequence[Any]) -> str:
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", type(None): "none"}
    return " or ".join(words.get(kind, ", ".join(map(str, get_args(kind)))) for kind in kinds)
