"""Talk mode: large type, strong contrast, the sidebar folded; `example_row` has the examples one key away."""

from __future__ import annotations

import streamlit as st

from core.ui import remarks
from core.ui.address import take

TALK = "talk"


def arrive() -> None:
    """Begin or end talk mode if an address says so; to be called before the frame is opened."""
    arriving = take("talk")
    if arriving is not None:
        st.session_state[TALK] = arriving.flag("talk", "Talk mode")
        remarks.keep(arriving.remarks)


def talking() -> bool:
    """Whether talk mode is on."""
    return bool(st.session_state.get(TALK))


def talk_button() -> None:
    """The way in and out, by click or by the key T."""
    label = "Leave talk mode" if talking() else "Talk mode"
    st.button(
        label, icon=":material/present_to_all:", type="tertiary", shortcut="T", on_click=_switch, key="talk_button"
    )


def talk_address() -> dict[str, str]:
    """The parameter that opens talk mode."""
    return {"talk": "1"} if talking() else {}


def _switch() -> None:
    st.session_state[TALK] = not talking()
