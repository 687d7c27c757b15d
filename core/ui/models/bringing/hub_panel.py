"""A model of the hub, by its id and revision: downloaded by a click, then opened here."""

from __future__ import annotations

import streamlit as st

from core.ui import getting
from core.ui.model_menu import openable
from core.ui.models.opened.opening import ask_for_named
from core.ui.words import small_print

REVISIONS = (
    "A revision is a branch, a tag or a commit: owner/name@revision. Without one it is the main branch. Well-known "
    "models stand under “To download”."
)


def hub_panel() -> None:
    """The box with its button, and the download that is under way."""
    getting.hub_box()
    small_print(REVISIONS, "caption")
    small_print(getting.NETWORK, "network-rule")
    getting.tell_refusal()
    get_asked()


def get_asked() -> None:
    """Get what was asked for here or among the models that can be downloaded, and open it."""
    name = getting.asked()
    if name is None:
        return
    if getting.get(name, name in openable()):
        ask_for_named(name)
    # What it came to is drawn above.
    st.rerun()
