"""What talk mode has beside the pages: this session's own models on the number keys."""

from __future__ import annotations

import streamlit as st

from core.ui import own_models
from core.ui.following import ATTENTION
from core.ui.models.opened.doors import go
from core.ui.words import literal

MOST = 4


def talk_row() -> None:
    """The latest models as buttons that open the Attention page."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        for number, name in enumerate(own_models.names()[:MOST], start=1):
            st.button(
                literal(name),
                shortcut=str(number),
                on_click=go,
                args=(ATTENTION, name),
                key=f"models_talk_{number}",
            )
