"""The switch between the views of the page."""

from __future__ import annotations

import streamlit as st

from core.ui.positions.offered import VIEWS
from core.ui.positions.state import VIEW
from core.ui.positions.wish import follow_view


def view_bar() -> None:
    """Draw the switch."""
    st.segmented_control(
        "View",
        tuple(VIEWS),
        format_func=VIEWS.__getitem__,
        key=VIEW,
        on_change=follow_view,
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
