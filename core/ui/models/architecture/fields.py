"""The values of an architecture as fields: what tensors do not tell, and what was read from their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.models.quoting import shown
from core.ui.models.architecture.config_words import words_of
from core.ui.models.kept_forms import part
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.models.guessing import Guess, Question, Stated

MOST = 1_000_000
HEAD_HELP = "What stands after the layers. The same layers serve under each; a head that the file lacks is random."
OPEN = "What tensors do not tell"
READ = "Dimensions, read from the shapes"
# With another number of heads these follow, see `core.models.guessing.answered`.
COUNT, FOLLOWING = "num_attention_heads", ("head_dim", "num_key_value_heads")
_NOT_SHOWN = ("model_type", "architectures")
_FIELD, _ASKED = 160, 250


def values_of_fields(
    slot: str, guess: Guess, stated: Mapping[str, Any], told: Mapping[str, Stated]
) -> dict[str, Any] | None:
    """Draw the fields, and return what in them differs from the guess; None where something cannot be read.

    slot: what their keys begin with, another for each guess. stated: values that the file's own config has. told: what
    values beside the tensors say to open questions.
    """
    asked = {question.name: question for question in guess.open_questions}
    values: dict[str, Any] = {}
    sound = True
    if asked:
        small_print(OPEN, "group")
        with st.container(horizontal=True, key=f"{slot}-open"):
            for name, question in asked.items():
                first, why = _first(question, stated, told)
                value, is_sound = _asked(slot, question, first, why)
                values[name], sound = value, sound and is_sound
    small_print(READ if guess.reason.startswith("It has") else "Dimensions", "group")
    with st.container(horizontal=True, key=f"{slot}-read"):
        shown_ones = {
            name: taken
            for name, taken in guess.config.items()
            if name not in (*asked, *_NOT_SHOWN) and not (COUNT in asked and name in FOLLOWING)
        }
        # Numbers first, then what is on or off.
        for name, taken in sorted(shown_ones.items(), key=lambda pair: type(pair[1]) is bool):
            values |= _read(slot, name, taken, stated.get(name, taken))
    return {name: value for name, value in values.items() if value != guess.config.get(name)} if sound else None


def following_words(config: Mapping[str, Any]) -> str:
    """What follows from the number of heads, as a sentence; "" where nothing does."""
    told = [f"{words_of(name).label.lower()} {config[name]:,}" for name in FOLLOWING if type(config.get(name)) is int]
    return f"From the number of heads follows: {', '.join(told)}." if told else ""


def parsed_value(chosen: str, question: Question, first: Any) -> tuple[Any, bool]:
    """The value of a word that was chosen or typed, and whether it is one. first: an option besides the question's."""
    named = {_word(option): option for option in (*question.options, first)}
    if chosen in named:
        return named[chosen], True
    try:
        value = float(chosen) if type(question.value) is float else int(chosen.replace(",", ""))
    except ValueError:
        return None, False
    return value, 0 < value < float("inf")


def _first(question: Question, stated: Mapping[str, Any], told: Mapping[str, Stated]) -> tuple[Any, str]:
    """What is taken for a question, and what that rests on."""
    if question.name in stated:
        return stated[question.name], "The file's own config says so."
    if (said := told.get(question.name)) is not None:
        *under, name = said.path
        place = f" under {shown('.'.join(under))}" if under else ""
        return said.value, f"The file says {shown(name)} {_word(said.value)}{place}."
    return question.value, question.why


def _asked(slot: str, question: Question, first: Any, why: str) -> tuple[Any, bool]:
    """A question's value, and whether it is one. why: what the first one rests on."""
    options = [_word(option) for option in dict.fromkeys((*question.options, first))]
    words = words_of(question.name)
    numeric = type(question.value) in (int, float)
    with st.container(width=_ASKED, key=f"{slot}-asked-{part(question.name)}"):
        chosen = st.selectbox(
            words.label,
            options,
            index=options.index(_word(first)),
            help=f"{words.help} {'Another number may be typed.' if numeric else ''}",
            accept_new_options=numeric,
            key=f"{slot}-field-{part(question.name)}",
            persist_state="session",
        )
        small_print(why, "why")
        value, is_value = parsed_value(str(chosen), question, first)
        if not is_value:
            kind = "a whole number" if type(question.value) is int else "a number"
            note(f"“{shown(str(chosen))}” is not {kind} above 0: type one, or choose from the menu.", "error")
        return value, is_value


def _read(slot: str, name: str, taken: Any, first: Any) -> dict[str, Any]:
    """The value of a dimension, where it is of a kind that a field can show."""
    words, key = words_of(name), f"{slot}-field-{part(name)}"
    first = first if type(first) is type(taken) else taken
    if type(taken) is bool:
        return {name: st.checkbox(words.label, first, help=words.help, key=key, persist_state="session")}
    if type(taken) is int and not name.endswith("_token_id"):
        first = min(max(first, 1), MOST)
        return {
            name: st.number_input(
                words.label, 1, MOST, first, 1, help=words.help, width=_FIELD, key=key, persist_state="session"
            )
        }
    return {}


def _word(value: Any) -> str:
    """A value as a menu shows it, and as somebody would type it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1 and value.is_integer() else f"{value:g}"
    return "none" if value is None else f"{value}"
