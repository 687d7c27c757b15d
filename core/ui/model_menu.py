"""Which model: those that open at once, and the ways to get more of them."""

from __future__ import annotations

import streamlit as st

from core.models import Entry, catalogue
from core.models.folders import folders_below_roots
from core.models.shipped import STUDY
from core.ui import getting, own_models
from core.ui.example_choice import fit_example
from core.ui.own_models import ADDED
from core.ui.words import note, small_print

WANTED = "wanted_model"
WANTED_TEXT = "wanted_text"
IN_THIS_SESSION = "Kept until you close or reload this tab, and open to nobody else."


def openable() -> list[str]:
    """Names of what opens here without asking anybody: the default, the models of this browser session alone, the main
    models that came with this checkout and then their siblings, the rest of the catalogue, the server's folders, what
    was added by name, and last what came along to be studied.

    Where nothing does, the page says why and ends here.
    """
    listings = catalogue()
    here = [listing.entry for listing in listings if listing.unavailable is None]
    ranked = sorted((entry for entry in here if entry.rank is not None), key=_rank)
    others = [entry.name for entry in here if entry.rank is None]
    names = [
        *others[:1],
        *own_models.names(),
        *(entry.name for entry in ranked if _rank(entry) < STUDY),
        *others[1:],
        *folders_below_roots(),
        *st.session_state.get(ADDED, ()),
        *(entry.name for entry in ranked if _rank(entry) >= STUDY),
    ]
    if not names:
        note(str(listings[0].unavailable), "error")
        st.stop()
    return list(dict.fromkeys(names))


def _rank(entry: Entry) -> int:
    return entry.rank or 0


def want(name: str, text: str | None = None) -> None:
    """Let the next page with a menu of models open this one, with a text of its own where one is given."""
    st.session_state[WANTED] = name
    if text is not None:
        st.session_state[WANTED_TEXT] = text


def choose_model(names: list[str]) -> str:
    """The menu of models, with a line about the one that is chosen."""
    if (wanted := st.session_state.pop(WANTED, None)) in names:
        st.session_state.model = wanted
    if (text := st.session_state.pop(WANTED_TEXT, None)) is not None:
        st.session_state.text, st.session_state.text_pair = text, ""
    model = st.selectbox("Model", names, format_func=own_models.label_of, key="model", persist_state="session")
    fit_example(str(model))
    small_print(summary_of(str(model)), "model-summary")
    return str(model)


def summary_of(model: str) -> str:
    """A line on a model: what it is, or where one of the reader's own is kept."""
    summary = next((listing.entry.summary for listing in catalogue() if listing.entry.name == model), None)
    own = IN_THIS_SESSION if model in own_models.names() else "A model of your own."
    return summary or own


def more_models() -> None:
    """What is not here yet: a way to the page for one's own, models to download, and a box for any name on the hub."""
    st.page_link("pages/models.py", label="Open your own model", icon=":material/upload_file:")
    with st.expander("More models", icon=":material/add:"):
        getting.hub_box()
        slot = st.container()
        getting.well_known()
        small_print(getting.NETWORK, "network-rule")
        for listing in catalogue():
            if listing.unavailable and not listing.downloadable:
                small_print(f"{listing.entry.name}: {listing.unavailable}", "unavailable")
        if asked := getting.asked():
            with slot:
                _get(asked)
        getting.tell_refusal()


def _get(name: str) -> None:
    """Open a model if it is here, else download it; the page then shows it."""
    if getting.get(name, name in openable()):
        want(name)
        st.rerun()
