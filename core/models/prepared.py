"""What a prepared.json beside a config.json tells: what was done to the files before they could be read."""

from __future__ import annotations

import json
from pathlib import Path

TOLD = "prepared.json"
MOST_BYTES = 1 << 16
MOST_NOTES = 20
LONGEST_NOTE = 400
# These stand beside every figure.
MOST_ASSUMED, LONGEST_ASSUMED = 5, 80


def notes_in(folder: Path) -> tuple[str, ...]:
    """The notes of a folder for its load report; () where there are none. Nothing unseen, nothing long."""
    return tuple(_clipped(note, LONGEST_NOTE) for note in _texts(folder, "notes")[:MOST_NOTES])


def assumed_in(folder: Path) -> tuple[str, ...]:
    """What was guessed of a network and its files do not tell, such as "2 heads, guessed"; bounded likewise."""
    return tuple(_clipped(words, LONGEST_ASSUMED) for words in _texts(folder, "assumed")[:MOST_ASSUMED])


def _texts(folder: Path, key: str) -> list[str]:
    path = folder / TOLD
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return []
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    texts = told.get(key) if isinstance(told, dict) else None
    return [text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else []


def _clipped(text: str, longest: int) -> str:
    seen = "".join(char if char.isprintable() else " " for char in text)
    return seen if len(seen) <= longest else f"{seen[: longest - 1]}…"
