"""The frame around every page: browser title, icon, styles, talk mode."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.ui import talk

ASSETS = Path(__file__).parent / "assets"
TALK_STYLES = ("talk.css", "talk_pages.css")


def open_frame() -> None:
    """Set up the page; the first thing that the app does after it has noticed an arrival."""
    talk.arrive()
    st.set_page_config(
        page_title="Headlight",
        page_icon=str(ASSETS / "icon.png"),
        layout="wide",
        initial_sidebar_state="collapsed" if talk.talking() else "expanded",
    )
    dark = st.context.theme.type == "dark"
    st.logo(str(ASSETS / ("logo-dark.svg" if dark else "logo-light.svg")), size="large")
    own = ["page.css", "training.css", "alignment.css", "positions.css", "models.css", "models_choices.css"]
    names = [*own, *(["dark.css", "alignment_dark.css"] if dark else []), *(TALK_STYLES if talk.talking() else ())]
    style = "\n".join((ASSETS / name).read_text("utf-8") for name in names)
    st.html(f"<style>{style}</style>")
    script = "\n".join((ASSETS / name).read_text("utf-8") for name in ("well_formed.js", "going.js"))
    with st.sidebar.container(key="page_script"):
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def need_frame() -> None:
    """Start again with the frame where there is none; what a page with a path of its own does first.

    Until app.py has run once in a fresh server, Streamlit takes pages/ for its older kind of app, and opens the page
    that an address names by itself.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
