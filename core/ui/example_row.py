"""The examples in a row, one key away each: what talk mode has instead of the sidebar."""

from __future__ import annotations

import streamlit as st

from core.ui.examples import EXAMPLES
from core.ui.sidebar import open_example


def example_row() -> None:
    """The examples as buttons with the number keys."""
    with st.container(horizontal=True, key="talk_examples"):
        for number, example in enumerate(EXAMPLES, start=1):
            open_now = example.text == st.session_state.get("text")
            st.button(
                example.title,
                shortcut=str(number),
                type="primary" if open_now else "secondary",
                on_click=open_example,
                args=(example,),
                key=f"example_{number}",
            )
