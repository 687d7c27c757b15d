"""Answers to open questions that the file itself gives, in values that training left beside the tensors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from core.models.guessing.results import Guess, Question

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "nhead", "num_head")
_WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
MOST_HEADS = 1_000


@dataclass(frozen=True)
class Stated:
    """A value that the file gives, and the keys that lead to it there."""

    value: Any
    path: tuple[str, ...]


def stated_answers(guess: Guess, beside: Mapping[str, Any]) -> dict[str, Stated]:
    """For each open question that the file answers, what it says; a value that cannot be one is passed over.

    beside: as `core.models.checking_files.values_beside` gives it. What lies highest counts, and a question's own name
    before others for the number of heads.
    """
    told = list(_told(beside))
    found: dict[str, Stated] = {}
    for question in guess.open_questions:
        names = (question.name, *HEADS) if question.name in HEADS else (question.name,)
        said = (
            Stated(value, path)
            for name in dict.fromkeys(names)
            for path, value in told
            if path[-1] == name and _answers(question, value, guess.config)
        )
        if (first := next(said, None)) is not None:
            found[question.name] = first
    return found


def _told(beside: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each value with the keys that lead to it, the highest first."""
    waiting: deque[tuple[tuple[str, ...], Mapping[str, Any]]] = deque([((), beside)])
    while waiting:
        path, values = waiting.popleft()
        for key, value in values.items():
            if isinstance(value, Mapping):
                waiting.append(((*path, key), value))
            else:
                yield (*path, key), value


def _answers(question: Question, value: Any, config: Mapping[str, Any]) -> bool:
    """Whether a value is of the question's kind, and for heads, one that divides the width."""
    if "head" in question.name:
        widths = [config[name] for name in _WIDTHS if type(config.get(name)) is int]
        return type(value) is int and 0 < value <= MOST_HEADS and all(width % value == 0 for width in widths)
    if type(question.value) in (int, float) and type(value) in (int, float):
        return type(question.value) is type(value) and value > 0 and isfinite(value)
    return value in question.options and type(value) in {type(option) for option in question.options}
