"""What a candidate lacks, asked in forms, its name, and the button that opens it."""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from core.models.finding import Candidate
from core.models.preparing.choices import Choices
from core.models.quoting import shown
from core.ui.models.missing.choices import choices, tokenizer_choice, tried_text
from core.ui.models.opened.opening import ask_for_candidate, press, was_pressed
from core.ui.models.state import Arrived
from core.ui.own_models import LONGEST_NAME, brought
from core.ui.words import notes

ANOTHER = "Use another tokenizer"
WHY_ANOTHER = "For files that brought the tokenizer of another model, with which this one reads nonsense."
_ENDINGS = re.compile(r"\.(zip|tar|tgz|tbz2|txz|(tar\.)?(gz|bz2|xz)|safetensors|bin|pt|pth|ckpt|gguf)$", re.IGNORECASE)


def missing_panel(came: Arrived, candidate: Candidate) -> None:
    """The card."""
    key = f"models_{came.number}_{came.found.candidates.index(candidate)}"
    with st.container(border=True, key="models_missing_card"):
        asked = [missing for missing in candidate.missing if missing.what != "base"]
        st.markdown(
            "**What is missing**" if asked else "**Before it opens**" if candidate.missing else "**Nothing is missing**"
        )
        notes([(doubt, "warning") for doubt in candidate.doubts], key="models_doubts")
        chosen = _with_another_tokenizer(candidate, key, choices(candidate, key))
        with st.container(horizontal=True, vertical_alignment="bottom", key="models_open_row"):
            name = st.text_input(
                "Name",
                _first_name(came, candidate),
                max_chars=LONGEST_NAME,
                placeholder=brought(candidate.name),
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
        ask_for_candidate(came, candidate, chosen, name, tried_text(key))


def _with_another_tokenizer(candidate: Candidate, key: str, chosen: Choices | None) -> Choices | None:
    """The same choices, with a tokenizer in the place of the one that came, where somebody wants that."""
    if candidate.lacks("tokenizer") or candidate.kind == "adapter":
        return chosen
    if not st.toggle(ANOTHER, help=WHY_ANOTHER, key=f"{key}-another-tokenizer", persist_state="session"):
        return chosen
    config = None if chosen is None else chosen.config
    tokenizer = tokenizer_choice(candidate, key, config)
    return None if chosen is None or tokenizer is None else replace(chosen, tokenizer=tokenizer)


def _first_name(came: Arrived, candidate: Candidate) -> str:
    """What the only model of an archive or a folder is called: as that, without its ending. Never as its base."""
    name, at_top = candidate.name, candidate.root == came.found.folder
    is_adapter = candidate.kind == "adapter"
    if came.is_named and at_top and (is_adapter or len(came.found.candidates) == 1):
        name = _ENDINGS.sub("", came.title)
    elif is_adapter and not at_top:
        name = shown(candidate.root.name)
    elif is_adapter and "adapter" not in name:
        name = f"{name} adapter"
    return name[:LONGEST_NAME]
