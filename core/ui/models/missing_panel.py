"""What a candidate lacks, asked in forms, its name, and the button that opens it."""

from __future__ import annotations

import re

import streamlit as st

from core.models.finding import Candidate
from core.ui.models.choices import choices
from core.ui.models.opening import ask_for_candidate, press, was_pressed
from core.ui.models.state import Arrived
from core.ui.own_models import LONGEST_NAME

_ENDINGS = re.compile(r"\.(zip|tar|tgz|tbz2|txz|(tar\.)?(gz|bz2|xz)|safetensors|bin|pt|pth|ckpt|gguf)$", re.IGNORECASE)


def missing_panel(came: Arrived, candidate: Candidate) -> None:
    """The card."""
    key = f"models_{came.number}_{came.found.candidates.index(candidate)}"
    with st.container(border=True, key="models_missing_card"):
        st.markdown("**What is missing**" if candidate.missing else "**Nothing is missing**")
        chosen = choices(candidate, key)
        with st.container(horizontal=True, vertical_alignment="bottom", key="models_open_row"):
            name = st.text_input(
                "Name",
                _first_name(came, candidate),
                max_chars=LONGEST_NAME,
                key=f"{key}_name",
                persist_state="session",
            )
            st.button(
                "Open",
                type="primary",
                icon=":material/bolt:",
                disabled=chosen is None,
                on_click=press,
                args=(key,),
                key="models_open",
            )
    # Not in the callback: what was typed last may have arrived with the click.
    if was_pressed(key) and chosen is not None:
        ask_for_candidate(came, candidate, chosen, name)


def _first_name(came: Arrived, candidate: Candidate) -> str:
    """What the only model of an archive or a folder is called: as that, without its ending."""
    name = candidate.name
    if came.is_named and len(came.found.candidates) == 1 and candidate.root == came.found.folder:
        name = _ENDINGS.sub("", came.title)
    return name[:LONGEST_NAME]
