"""What talk mode has instead of the sidebar: the direction's examples on the number keys, and the directions."""

from __future__ import annotations

import streamlit as st

from core.ui.alignment.controls import follow_direction, open_example
from core.ui.alignment.examples import examples_of
from core.ui.alignment.models import DIRECTIONS, directions
from core.ui.alignment.state import DIRECTION
from core.ui.alignment.wish import Wish

TALK_DIRECTION = "alignment_talk_direction"


def talk_row(wish: Wish) -> None:
    """The examples as buttons with the number keys, and the choice of the direction."""
    # The control of the sidebar has the value.
    st.session_state[TALK_DIRECTION] = wish.direction
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        for number, example in enumerate(examples_of(wish.direction), start=1):
            st.button(
                example.title,
                shortcut=str(number),
                type="primary" if example.text == wish.text else "secondary",
                on_click=open_example,
                args=(example.text,),
                key=f"alignment_example_{number}",
            )
        st.selectbox(
            "Direction",
            directions(),
            format_func=DIRECTIONS.__getitem__,
            key=TALK_DIRECTION,
            on_change=_choose,
            label_visibility="collapsed",
            width=230,
        )


def _choose() -> None:
    st.session_state[DIRECTION] = st.session_state[TALK_DIRECTION]
    follow_direction()
