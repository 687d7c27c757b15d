"""Answers to the questions that a guess leaves open, put into its config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.models.guessing.results import Guess

_HEADS, _GROUPS, _WIDTH = "num_attention_heads", "num_key_value_heads", "head_dim"


def answered(guess: Guess, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a guess with other values: with another number of heads, what is shared by them follows."""
    config = guess.config | dict(answers)
    count = config.get(_HEADS)
    follows = _WIDTH in guess.config and isinstance(count, int) and count > 0 and _WIDTH not in answers
    if follows:
        old = guess.config[_WIDTH]
        width = config[_WIDTH] = max(1, guess.config[_HEADS] * old // count)
        if _GROUPS in guess.config and _GROUPS not in answers:
            config[_GROUPS] = max(1, guess.config[_GROUPS] * old // width)
    return config
