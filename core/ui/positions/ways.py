"""Where to look instead, for schemes of which a view can draw nothing: a sentence, and a button that goes there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.positions import SCHEMES
from core.positions.objects import Bias, Rotation, Table
from core.ui.positions.controls import choose_scheme, open_model, open_model_beside, open_order, open_view
from core.ui.positions.offered import FIRST_MODEL, LEARNED_BIASES, models
from core.ui.positions.sides import Side
from core.ui.positions.wish import Wish
from core.ui.words import literal, note

HAVE_NO_FORMULA = ("none", "learned")
LEARNED = "A learned table belongs to a model and is no formula."
BIASES = "These biases are learned: the formula only says which number of a table an offset reads."
BY_QUERY = "What the vector of an offset adds depends on the query that it meets, so it is no number of the distance."
NOTHING = "Without positions no distance differs from another: there is nothing to draw."


@dataclass(frozen=True)
class Way:
    """A sentence, or "" where the page has said enough; and a button, if its label is not ""."""

    sentence: str
    label: str = ""
    icon: str = ""
    go: Callable[[], None] | None = None


def is_number(side: Side | None) -> bool:
    """Whether distance alone says what the scheme does."""
    return side is not None and isinstance(side.thing, (Table, Rotation, Bias))


def way_on(scheme: str) -> None:
    """Where to look further, of a scheme whose numbers are no formula."""
    if scheme == "none":
        _offer(_to_order(NOTHING), scheme)
    elif scheme == "learned":
        _offer(_to_model(LEARNED, FIRST_MODEL, "learned table", lambda: open_model(FIRST_MODEL)), scheme)
    elif scheme == "relative":
        _offer(_to_model("", LEARNED_BIASES, "learned biases", lambda: open_model(LEARNED_BIASES)), scheme)


def way_around(scheme: str, side: Side | None, wish: Wish, is_left: bool) -> None:
    """Where to look instead of beside another scheme. side: None where the formula gives nothing."""
    sort = "left" if is_left else "right"
    if scheme == "none":
        _offer(_to_order(NOTHING), sort)
    elif side is not None and side.fact is not None:
        told = " ".join(side.fact.notes) if side.thing is None else BY_QUERY
        _offer(Way(told, f"Look at {literal(wish.model)} alone", ":material/crop_free:", _alone(wish.model)), sort)
    elif scheme in ("learned", "relative"):
        sentence, model, what = (
            (LEARNED, FIRST_MODEL, "table") if scheme == "learned" else (BIASES, LEARNED_BIASES, "biases")
        )
        _offer(_to_model(sentence, model, f"learned {what}", lambda: open_model_beside(model, is_left)), sort)
    else:
        title = SCHEMES[scheme].title
        _offer(Way(BY_QUERY, f"Look at {literal(title)} alone", ":material/crop_free:", _formula(scheme)), sort)


def _to_order(sentence: str) -> Way:
    return Way(sentence, "Move words, with positions and without", ":material/swap_horiz:", open_order)


def _to_model(sentence: str, model: str, what: str, go: Callable[[], None]) -> Way:
    if model not in models():
        return Way(sentence)
    return Way(sentence, f"Open {literal(model)} and its {what}", ":material/table_rows:", go)


def _alone(model: str) -> Callable[[], None]:
    def go() -> None:
        open_view("scheme")
        open_model(model)

    return go


def _formula(scheme: str) -> Callable[[], None]:
    def go() -> None:
        open_view("scheme")
        choose_scheme(scheme)

    return go


def _offer(way: Way, sort: str) -> None:
    if way.sentence:
        note(way.sentence, "info")
    if way.label:
        st.button(way.label, icon=way.icon, on_click=way.go, key=f"positions_way_{sort}")
