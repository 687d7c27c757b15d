"""What a prepared.json beside a config.json tells: what was done to the files before they could be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.models.checking_configs.json_files import object_or_nothing

TOLD = "prepared.json"
MOST_BYTES = 1 << 16
MOST_NOTES = 20
LONGEST_NOTE = 400
# These stand beside every figure.
MOST_ASSUMED, LONGEST_ASSUMED = 5, 80
MOST_TAKEN, LONGEST_TAKEN = 12, 40
LARGEST_TAKEN = 1 << 53


def notes_in(folder: Path) -> tuple[str, ...]:
    """The notes of a folder for its load report; () where there are none. Nothing unseen, nothing long."""
    return tuple(_clipped(note, LONGEST_NOTE) for note in _texts(folder, "notes")[:MOST_NOTES])


def assumed_in(folder: Path) -> tuple[str, ...]:
    """What was guessed of a network and its files do not tell, such as "2 heads, guessed"; bounded likewise."""
    return tuple(_clipped(words, LONGEST_ASSUMED) for words in _texts(folder, "assumed")[:MOST_ASSUMED])


def taken_in(folder: Path) -> dict[str, Any]:
    """What of its config is no more than usual in its family, by its keys: numbers, words, on or off; bounded too."""
    said = object_or_nothing(folder / TOLD, MOST_BYTES).get("taken")
    pairs = list(said.items()) if isinstance(said, dict) else []
    return {name: value for name, value in pairs[:MOST_TAKEN] if _is_word(name) and _is_value(value)}


def _is_value(value: Any) -> bool:
    is_small = isinstance(value, int) and abs(value) < LARGEST_TAKEN
    return value is None or is_small or isinstance(value, float) or _is_word(value)


def _is_word(text: Any) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST_TAKEN and text.isprintable()


def _texts(folder: Path, key: str) -> list[str]:
    texts = object_or_nothing(folder / TOLD, MOST_BYTES).get(key)
    return [text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else []


def _clipped(text: str, longest: int) -> str:
    seen = "".join(char if char.isprintable() else " " for char in text)
    return seen if len(seen) <= longest else f"{seen[: longest - 1]}…"
