"""The frame around every page: browser title, icon, styles."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parent / "assets"


def open_frame() -> None:
    """Set up the page; the first thing that the app does."""
    st.set_page_config(page_title="Headlight", page_icon=str(ASSETS / "icon.png"), layout="wide")
    dark = st.context.theme.type == "dark"
    st.logo(str(ASSETS / ("logo-dark.svg" if dark else "logo-light.svg")), size="large")
    style = (ASSETS / "page.css").read_text("utf-8") + (ASSETS / "dark.css").read_text("utf-8") * dark
    st.html(f"<style>{style}</style>")
    script = (ASSETS / "well_formed.js").read_text("utf-8")
    with st.sidebar.container(key="page_script"):
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
