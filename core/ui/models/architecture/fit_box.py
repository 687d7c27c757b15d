"""What runs in a box: a network built of a config that a person wrote, and held against the tensors of a file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

# Imported before the box's limits hold.
import transformers  # noqa: F401

import core.models.estimate
import core.zoo  # noqa: F401
from core.models.guessing import revised
from core.ui.models.architecture.guess_json import guess_of

# More names than anybody reads.
MOST_NAMES = 20_000


def fit(argument: dict[str, Any]) -> dict[str, Any] | None:
    """The guess with its answers, judged, as JSON; None where no network comes of it."""
    tensors = {name: tuple(shape) for name, shape in argument["tensors"].items()}
    found = revised(tensors, guess_of(argument["guess"]), argument["answers"])
    if found is None:
        return None
    return asdict(found) | {"missing": found.missing[:MOST_NAMES], "left": found.left[:MOST_NAMES]}
