"""Which view is open: all three pictures together, or one of them large."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.heads import Filters
from core.ui import remarks
from core.ui.address import take

if TYPE_CHECKING:
    from core.views import View

VIEWS = {
    "together": "Together",
    "heatmap": "Heatmap",
    "headview": "Head view",
    "text": "Text",
    "querykey": "Query–key",
    "overview": "All heads",
    "headmap": "Head map",
}
DEFAULT = "together"


def view_switch() -> str:
    """Draw the switch, set to what an address asks for; the open view."""
    arriving = take("view")
    if arriving is not None:
        st.session_state.view = arriving.choice("view", tuple(VIEWS), DEFAULT, "view")
        remarks.keep(arriving.remarks)
    chosen = st.segmented_control(
        "View",
        tuple(VIEWS),
        format_func=VIEWS.__getitem__,
        key="view",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    return str(chosen)


def view_notes(view: str, shown: View) -> list[tuple[str, str]]:
    """What must be known of a view under the chosen filters: sentences with their kinds."""
    if view != "querykey" or shown.head is None or shown.filters == Filters():
        return []
    return [("This view always shows single tokens, special ones included.", "info")]


def view_address(view: str) -> dict[str, str]:
    """The parameter that reopens a view; the first needs none."""
    return {} if view == DEFAULT else {"view": view}
