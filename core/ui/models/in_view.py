"""Scrolling to a card that has taken another's place, so that nobody is left where something else stood before."""

from __future__ import annotations

import json
import secrets

import streamlit as st

from core.ui.frame import ASSETS

_WANTED = "models_in_view"
OPENING, OPENED, FAILED = "models_opening_card", "models_opened_card", "models_failed"


def bring_into_view(key: str) -> None:
    """Have the browser scroll to the container of a key as soon as it stands there, and once only."""
    # Not counted: a window may get another session, whose first time is no time seen before.
    st.session_state[_WANTED] = (secrets.token_hex(4), key)


def show_in_view() -> None:
    """Draw the script; to be called in every run, before what it waits for."""
    wanted = st.session_state.get(_WANTED)
    with st.sidebar.container(key="models_script"):
        if wanted is not None:
            script = (ASSETS / "in_view.js").read_text("utf-8")
            st.html(f"<script>({script})({json.dumps(wanted)});</script>", unsafe_allow_javascript=True)
