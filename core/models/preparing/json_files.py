"""Small JSON files out of an upload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.preparing.known_files import LONGEST_JSON
from core.models.quoting import shown


def object_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises HeadlightError, one sentence, for anything else."""
    try:
        if path.stat().st_size > LONGEST_JSON:
            raise HeadlightError(f"“{shown(path.name)}” is longer than {LONGEST_JSON >> 20} MB: get it again.")
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise HeadlightError(f"“{shown(path.name)}” is no JSON that can be read: get it again.") from error
    if not isinstance(said, dict):
        raise HeadlightError(f"“{shown(path.name)}” holds no JSON object: get it again.")
    return said


def optional_object_in(path: Path) -> dict[str, Any]:
    """The same, and {} where there is no such file."""
    return object_in(path) if path.is_file() else {}
