"""What a prepared.json beside a config.json tells: what was done to the files before they could be read."""

from __future__ import annotations

import json
from pathlib import Path

TOLD = "prepared.json"
MOST_BYTES = 1 << 16
MOST_NOTES = 20
LONGEST_NOTE = 400


def notes_in(folder: Path) -> tuple[str, ...]:
    """The notes of a folder for its load report; () where there are none. Nothing unseen, nothing long."""
    path = folder / TOLD
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ()
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    notes = told.get("notes") if isinstance(told, dict) else None
    sentences = [note for note in notes if isinstance(note, str) and note] if isinstance(notes, list) else []
    return tuple(_clipped(note) for note in sentences[:MOST_NOTES])


def _clipped(note: str) -> str:
    seen = "".join(char if char.isprintable() else " " for char in note)
    return seen if len(seen) <= LONGEST_NOTE else f"{seen[: LONGEST_NOTE - 1]}…"
