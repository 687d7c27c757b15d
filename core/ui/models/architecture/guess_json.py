"""A guess out of JSON, on both sides of a box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.models.guessing import Guess
from core.models.guessing.results import Question


def guess_of(told: Mapping[str, Any]) -> Guess:
    """A guess out of JSON."""
    questions = tuple(Question(**each | {"options": tuple(each["options"])}) for each in told["open_questions"])
    lists = {name: tuple(told[name]) for name in ("missing", "left")}
    return Guess(**{**told, **lists, "open_questions": questions})
