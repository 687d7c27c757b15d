"""A choice as the JSON that goes into a box, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.models.tokenizing.choices import (
    Bytes,
    Characters,
    FromFile,
    Pattern,
    Specials,
    TokenizerChoice,
    Whitespace,
)

_KINDS: dict[str, type[FromFile | Characters | Bytes | Whitespace | Pattern]] = {
    kind.__name__: kind for kind in (FromFile, Characters, Bytes, Whitespace, Pattern)
}


def told(choice: TokenizerChoice) -> dict[str, Any]:
    """The choice as plain values; paths are made absolute, for a box works in a folder of its own."""
    plain = {name: _plain(value) for name, value in asdict(choice).items()}
    return plain | {"kind": type(choice).__name__}


def understood(plain: dict[str, Any]) -> FromFile | Characters | Bytes | Whitespace | Pattern:
    """The choice that was told."""
    values: dict[str, Any] = {name: _value(name, value) for name, value in plain.items() if name != "kind"}
    return _KINDS[plain["kind"]](**values)


def _plain(value: Any) -> Any:
    return {"path": str(value.absolute())} if isinstance(value, Path) else value


def _value(name: str, value: Any) -> Any:
    if name == "specials":
        return Specials(**value)
    match value:
        case {"path": path}:
            return Path(path)
        case list():
            return tuple(value)
    return value
