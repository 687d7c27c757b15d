"""The figure card: the one way in which a page shows a figure."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.ui.components import mount
from core.ui.words import small_print
from core.views import Figure


def figure_card(figure: Figure, key: str, on_select: Callable[[], None] | None = None) -> None:
    """Title, picture, caption and downloads in one frame. `key` names the card within its page."""
    with st.container(border=True, key=f"{key}_card"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_head"):
            st.markdown(f"**{figure.title}**", help=figure.how_to, width="content")
            st.space("stretch")
            _downloads(figure, key)
        mount(figure.component, figure.payload, key, on_select)
        small_print(figure.caption, "caption")


def _downloads(figure: Figure, key: str) -> None:
    with st.popover("Data", icon=":material/download:", type="tertiary"):
        small_print(figure.contents, "contents")
        st.download_button(
            "CSV table",
            figure.csv,
            f"{figure.stem}.csv",
            "text/csv",
            key=f"{key}_csv",
            on_click="ignore",
            icon=":material/table:",
            width="stretch",
        )
        st.download_button(
            "NumPy archive (npz)",
            figure.npz,
            f"{figure.stem}.npz",
            "application/octet-stream",
            key=f"{key}_npz",
            on_click="ignore",
            icon=":material/dataset:",
            width="stretch",
        )
