"""What talk mode has instead of the sidebar: the schemes on the number keys."""

from __future__ import annotations

import streamlit as st

from core.positions import SCHEMES
from core.ui.positions.controls import choose_scheme
from core.ui.positions.offered import SHORT
from core.ui.positions.wish import Wish


def talk_row(wish: Wish) -> None:
    """The schemes as buttons."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        for number, name in enumerate(SCHEMES, start=1):
            st.button(
                SHORT.get(name, SCHEMES[name].title),
                shortcut=str(number),
                type="primary" if wish.schemes[:1] == (name,) else "secondary",
                on_click=choose_scheme,
                args=(name,),
                key=f"positions_scheme_{number}",
            )
