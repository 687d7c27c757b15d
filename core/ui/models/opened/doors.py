"""Where to go with a model: the pages that show it, each a button."""

from __future__ import annotations

import streamlit as st

from core.ui import address
from core.ui.alignment.models import OTHER, others

ATTENTION, ALIGNMENT, SALIENCY, POSITIONS = "", "alignment", "saliency", "positions"
# Title, file and icon by a page's path.
PAGES = {
    ATTENTION: ("Attention", "pages/attention.py", ":material/grid_view:"),
    ALIGNMENT: ("Alignment", "pages/alignment.py", ":material/translate:"),
    SALIENCY: ("Saliency", "pages/saliency.py", ":material/balance:"),
    POSITIONS: ("Positions", "pages/positions.py", ":material/straighten:"),
}
_LEAVES_FOR = "models_leaves_for"


def doors(name: str) -> None:
    """A button for each page that can show a model; only encoder-decoders are aligned."""
    with st.container(horizontal=True, key="models_doors"):
        for page, (title, _, icon) in PAGES.items():
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
        address.send(page, _parameters(page, name))
        st.switch_page(PAGES[page][1])


def _parameters(page: str, name: str) -> dict[str, str]:
    if page == ALIGNMENT:
        return {"direction": OTHER, "models": name}
    if page != POSITIONS:
        return {"model": name}
    from core.ui.positions.answering import facts_of_model

    facts = facts_of_model(name)
    return {"model": name, "view": "model", **({"scheme": facts[0].scheme} if facts else {})}
