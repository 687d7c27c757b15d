"""What of a guessed config was taken because it is usual in its family: neither the tensors nor the file tell it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from core.models.guessing import Guess


def taken_of(guess: Guess, config: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Values of a config that a guess asks for and that are still its own, by their keys.

    Numbers of heads are left out: every map depends on them, so they are told by themselves. known: keys whose values
    the file says.
    """
    return {
        question.name: question.value
        for question in guess.open_questions
        if len(question.options) > 1
        and "head" not in question.name
        and question.name not in known
        and config.get(question.name) == question.value
    }
