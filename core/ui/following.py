"""A page that its tab opens for the first time has the model that was looked at last, as far as it can show it.

Its own first model would drop without a word what somebody brought or chose. A page that was open before in this
browser session keeps its controls, and one that is opened by an address does what that asks.
"""

from __future__ import annotations

import streamlit as st

from core.ui import address, remarks
from core.ui.alignment import state as alignment
from core.ui.alignment.models import OTHER, directions, offered, others
from core.ui.model_menu import openable
from core.ui.models.state import opened
from core.ui.positions import state as positions
from core.ui.saliency import state as saliency
from core.ui.saliency.offered import models as models_of_saliency

ATTENTION, ALIGNMENT, SALIENCY, POSITIONS, MODELS = "", "alignment", "saliency", "positions", "models"
SHOWING = (ATTENTION, ALIGNMENT, SALIENCY, POSITIONS)
NO_TRANSLATOR = "{} is no encoder-decoder, so there is nothing to align in it: the page shows its own translators."
_PAGE, _AT_HAND = "page_of_model_at_hand", "model_at_hand"


def follow(page: str) -> None:
    """Open a page anew with the model at hand if it is new and nothing else is asked of it; to be called in each run.

    page: its path.
    """
    state = st.session_state
    before, state[_PAGE] = state.get(_PAGE, page), page
    if before == page:
        return
    state[_AT_HAND] = name = _looked_at(before, state.get(_AT_HAND))
    if name is None or page not in SHOWING or not address.is_new(page) or name not in openable():
        return
    if (asked := parameters_of(page, name)) is not None:
        address.go(page, asked)
    remarks.keep([NO_TRANSLATOR.format(name)])


def parameters_of(page: str, name: str) -> dict[str, str] | None:
    """What opens a page, by its path, with a model; None where it cannot show it."""
    if page == ALIGNMENT:
        return _aligned(name)
    if page != POSITIONS:
        return {"model": name}
    from core.ui.positions.answering import facts_of_model

    facts = facts_of_model(name)
    return {"model": name, "view": "model", **({"scheme": facts[0].scheme} if facts else {})}


def _aligned(name: str) -> dict[str, str] | None:
    if name in others():
        return {"direction": OTHER, "models": name}
    direction = next((each for each in directions() if name in offered(each)), None)
    return None if direction is None else {"direction": direction}


def _looked_at(page: str, at_hand: str | None) -> str | None:
    """The model that a page shows; None for its own first one, and the one at hand where the page shows none."""
    state = st.session_state
    if page == ATTENTION:
        return _unless(state.get("model"), openable()[0])
    if page == SALIENCY:
        return _unless(state.get(saliency.MODEL), models_of_saliency()[0])
    if page == POSITIONS:
        return str(state[positions.MODEL]) if state.get(positions.CHOSEN) else at_hand
    if page == ALIGNMENT:
        shown = state.get(alignment.MODELS) if state.get(alignment.DIRECTION) == OTHER else ()
        return next(iter(shown or ()), at_hand)
    model = opened() if page == MODELS else None
    return at_hand if model is None or model.card is None else model.name


def _unless(name: str | None, first: str) -> str | None:
    return None if name == first else name
