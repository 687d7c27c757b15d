"""Where the number of heads comes from, in words: tensors do not tell it, and every map hangs on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from core.models.guessing.stated import HEADS
from core.ui.models.architecture.config_words import words_of

if TYPE_CHECKING:
    from core.models.guessing import Guess, Stated

GUESSED, FROM_FILE, CHOSEN, BY_HAND = "guessed", "as the file says", "chosen", "written by hand"
IS_GUESSED = (
    "The number of heads is a guess: with another one every map is another one. Set it above, if you know it, or ask "
    "whoever trained the model."
)
_NAMES = (*HEADS, "encoder_attention_heads", "decoder_attention_heads")


def assumed_of_guess(
    guess: Guess, config: Mapping[str, Any], stated: Mapping[str, Any], told: Mapping[str, Stated]
) -> tuple[str, ...]:
    """The numbers of heads that answer an open question, each with where it comes from.

    config: with the answers. stated: the file's own config.json, whose numbers are no assumption. told: what the values
    beside the tensors say.
    """
    return tuple(
        _said(question.name, config[question.name], _source(question.value, config[question.name], question.name, told))
        for question in guess.open_questions
        if "head" in question.name and stated.get(question.name) != config[question.name]
    )


def assumed_as(how: str, config: Mapping[str, Any], stated: Mapping[str, Any]) -> tuple[str, ...]:
    """The numbers of heads in a config that somebody put together."""
    return tuple(_said(name, count, how) for name, count in _counts(config) if stated.get(name) != count)


def _source(taken: Any, value: Any, name: str, told: Mapping[str, Stated]) -> str:
    if name in told and told[name].value == value:
        return FROM_FILE
    return GUESSED if value == taken and name not in told else CHOSEN


def _counts(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    return ((name, config[name]) for name in _NAMES if type(config.get(name)) is int)


def _said(name: str, count: int, how: str) -> str:
    label = words_of(name).label.lower()
    return f"{count:,} {label.removesuffix('s') if count == 1 else label}, {how}"
