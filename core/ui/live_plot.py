"""A Plotly figure that changes every other second without a flash.

Streamlit builds a Plotly figure anew for each change, and for a moment its place is empty. So there are two places, one
over the other: the new figure is built in the one at the back, and comes to the front, where it hides the older one as
soon as it is drawn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from core.ui.card import plotly_config
from core.views import Figure

SECONDS_BETWEEN = 2.0
STATE = "live_plot"
BACKGROUNDS = {"light": "#ffffff", "dark": "#0f1218"}


@dataclass(frozen=True)
class Places:
    """what: the figure in both places shows this. front: the place of the newest figure. figures: of both places."""

    what: Hashable
    front: int
    figures: tuple[Figure | None, Figure | None]
    drawn_at: float


def draw_live(figure: Figure, what: Hashable, live: bool) -> None:
    """Draw a figure into a card. what: changes when another thing is shown; live: whether newer ones will follow."""
    places = placed(figure, what, live)
    st.session_state[STATE] = places
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.html(
        f"<style>.st-key-live_plot_{places.front} {{ z-index: 1; }} "
        f".st-key-live_plots .main-svg:first-of-type {{ background: {BACKGROUNDS[theme]} !important; }}</style>"
    )
    with st.container(key="live_plots"):
        for place, each in enumerate(places.figures):
            with st.container(key=f"live_plot_{place}"):
                if each is None:
                    st.empty()
                else:
                    st.plotly_chart(json.loads(each.payload), key=f"{each.name}_{place}", config=plotly_config(each))


def placed(figure: Figure, what: Hashable, live: bool) -> Places:
    """Which figure is in which place now, and which is in front."""
    now, last = time.monotonic(), st.session_state.get(STATE)
    if not live:
        return Places(what, 0, (figure, None), now)
    if last is None or last.what != what:
        return Places(what, 0, (figure, None), now)
    if now - last.drawn_at < SECONDS_BETWEEN:
        return Places(what, last.front, last.figures, last.drawn_at)
    first, second = last.figures
    return Places(what, 1 - last.front, (first, figure) if last.front == 0 else (figure, second), now)
