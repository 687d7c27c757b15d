"""Where to go with a model: the pages that show it, each a button."""

from __future__ import annotations

import streamlit as st

from core.ui import address
from core.ui.alignment.models import others
from core.ui.following import ALIGNMENT, ATTENTION, POSITIONS, SALIENCY, parameters_of

# Title and icon by a page's path.
PAGES = {
    ATTENTION: ("Attention", ":material/grid_view:"),
    ALIGNMENT: ("Alignment", ":material/translate:"),
    SALIENCY: ("Saliency", ":material/balance:"),
    POSITIONS: ("Positions", ":material/straighten:"),
}
_LEAVES_FOR = "models_leaves_for"


def doors(name: str) -> None:
    """A button for each page that can show a model; only encoder-decoders are aligned."""
    with st.container(horizontal=True, key="models_doors"):
        for page, (title, icon) in PAGES.items():
            if page == ALIGNMENT and name not in others():
                continue
            first = page == ATTENTION
            st.button(
                "See its attention" if first else title,
                icon=icon,
                type="primary" if first else "secondary",
                on_click=go,
                args=(page, name),
                key=f"models_to_{title.lower()}",
            )


def go(page: str, name: str) -> None:
    """Go to a page with a model; to be called as a callback."""
    st.session_state[_LEAVES_FOR] = (page, name)


def leave() -> None:
    """Go where a button leads, if one was pressed; a callback cannot change the page."""
    if (wanted := st.session_state.pop(_LEAVES_FOR, None)) is not None:
        page, name = wanted
        address.go(page, parameters_of(page, name) or {})
