"""What is looked at: a scheme by its formula, or as the open model has it, with the words that name it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.positions.settings import Settings
from core.ui.positions.answering import facts_of_model
from core.ui.positions.deberta_versions import CLIPPED, thing_of
from core.ui.positions.fields import FIELDS, used_by, value_words
from core.ui.positions.parts import there
from core.ui.positions.state import FACT
from core.ui.positions.trained import trained_of
from core.ui.positions.wish import Wish
from core.ui.words import note
from core.views.position_words import About

if TYPE_CHECKING:
    from core.positions.facts import Fact
    from core.positions.objects import Thing

NO_FACTS = (
    "{model} has no positions that can be read here: order is in its recurrence or convolution, or in "
    "nothing, or it keeps them in a way that is not known. Choose another model."
)
STACKS = {"self": "", "encoder": "encoder", "decoder": "decoder"}


@dataclass(frozen=True, eq=False)
class Side:
    """thing: None where there is none to draw; key: tells one side from another in the store of figures.

    trained: positions of the training, None where nothing tells; a model's config often says more than it had.
    """

    about: About
    scheme: str
    thing: Thing | None
    key: tuple[object, ...]
    settings: Settings
    fact: Fact | None = None
    trained: int | None = None


def formula_side(scheme: str, settings: Settings, version: str = CLIPPED) -> Side | None:
    """A scheme by its formula; None, with a sentence, where it has none or its numbers are impossible.

    version: DeBERTa's.
    """
    known = SCHEMES[scheme]
    try:
        thing = thing_of(version, settings) if scheme == "deberta" else known.thing(settings)
    except HeadlightError as error:
        note(str(error), "info")
        return None
    used = tuple((name, getattr(settings, name)) for name in used_by(scheme, version))
    told = f"version {version}, " if scheme == "deberta" else ""
    about = About(known.title, "formula", told + _settings_words(used), scheme)
    trained = settings.trained if "trained" in known.uses else None
    return Side(about, scheme, thing, (scheme, version, used), settings, trained=trained)


def model_side(wish: Wish, slot: DeltaGenerator) -> Side | None:
    """The open model's own scheme, of those that it has the chosen one; None, with a sentence, where it has none."""
    facts = facts_of_model(wish.model)
    if facts is None:
        return None
    if not facts:
        note(NO_FACTS.format(model=wish.model), "info")
        return None
    number = _choose_fact(facts, wish, slot)
    return side_of(wish, facts[number], number)


def side_of(wish: Wish, fact: Fact, number: int) -> Side:
    """One fact about the open model, as something to look at."""
    about = About(SCHEMES[fact.scheme].title, f"{wish.model} · {fact.source}", "", f"model_{fact.scheme}")
    trained = trained_of(wish.model) or fact.trained
    return Side(about, fact.scheme, fact.thing, ("model", wish.model, number), wish.settings, fact, trained)


def fact_title(fact: Fact) -> str:
    """A fact as a menu names it."""
    layers = ""
    if fact.layers is not None:
        layers = f"layer{'' if len(fact.layers) == 1 else 's'} {ranges(fact.layers)}"
    return " · ".join(filter(None, [STACKS.get(fact.stack, fact.stack), layers, SCHEMES[fact.scheme].title]))


def ranges(numbers: tuple[int, ...]) -> str:
    """Whole numbers as few words: "0–4, 6"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _choose_fact(facts: tuple[Fact, ...], wish: Wish, slot: DeltaGenerator) -> int:
    there(wish.fact, len(facts), "scheme", FACT)
    if len(facts) == 1:
        return 0
    # Drawn anew for each model: the menu of another has other entries.
    key, known = f"positions_fact_of_{wish.model}", st.session_state
    known[FACT] = min(wish.fact, len(facts) - 1)
    known[key] = known[FACT]
    with slot:
        st.selectbox(
            "Of the model",
            range(len(facts)),
            format_func=lambda number: fact_title(facts[number]),
            key=key,
            on_change=lambda: known.update({FACT: known[key]}),
        )
    return int(known[FACT])


def _settings_words(used: tuple[tuple[str, Any], ...]) -> str:
    shown = dict(used)
    if shown.get("scaling", "none") == "none":
        shown = {name: value for name, value in shown.items() if name not in ("scaling", "factor")}
    return ", ".join(_words(name, value) for name, value in shown.items())


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{FIELDS[name].label.lower()} {value_words(value).lower()}" if name in FIELDS else f"{name} {value}"
