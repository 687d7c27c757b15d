"""What talk mode has instead of the sidebar: the model's examples on the number keys."""

from __future__ import annotations

import streamlit as st

from core.ui.saliency.controls import open_example
from core.ui.saliency.offered import examples_of
from core.ui.saliency.wish import Wish


def talk_row(wish: Wish) -> None:
    """The examples as buttons."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        for number, example in enumerate(examples_of(wish.asked.model), start=1):
            st.button(
                example.title,
                shortcut=str(number),
                type="primary" if example.text == wish.asked.text else "secondary",
                on_click=open_example,
                args=(example,),
                key=f"saliency_example_{number}",
            )
