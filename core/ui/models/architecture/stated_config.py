"""What the config.json of an upload says, bounded: it is shown and carried over, and checked when the model opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.models.checking_configs.json_files import object_or_nothing

LONGEST = 4_000_000
# What the form answers, and what names code of the upload's own.
_LEFT_OUT = ("auto_map", "model_type", "architectures")


def stated_config(path: Path | None) -> dict[str, Any]:
    """Its values without those that name an architecture or a program; {} where there is none that can be read."""
    return {name: value for name, value in whole_config(path).items() if name not in _LEFT_OUT}


def whole_config(path: Path | None) -> dict[str, Any]:
    """All its values; {} where there is none that can be read."""
    return object_or_nothing(path, LONGEST) if path is not None else {}
