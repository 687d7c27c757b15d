"""Which head stands after the layers of a model whose files lack the one that its config names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.ui.models.architecture.architectures import classes_of
from core.ui.models.architecture.config_words import class_words
from core.ui.models.architecture.fields import HEAD_HELP
from core.ui.models.architecture.stated_config import whole_config
from core.ui.words import note

if TYPE_CHECKING:
    from core.models.finding import Candidate


def head_form(candidate: Candidate, slot: str) -> dict[str, Any] | None:
    """Draw the form, and return the config with the class that is chosen, whole; None for that of the file's own."""
    for missing in candidate.missing:
        if missing.what == "head":
            note(missing.sentence, "warning")
    config = whole_config(candidate.config)
    named = config.get("architectures")
    first = str(named[0]) if isinstance(named, list) and named else ""
    classes = classes_of(str(config.get("model_type")))
    if first not in classes:
        return None
    chosen = st.selectbox(
        "Head",
        classes,
        index=classes.index(first),
        format_func=class_words,
        help=HEAD_HELP,
        width=560,
        key=f"{slot}-head-of-config",
        persist_state="session",
    )
    return None if chosen == first else config | {"architectures": [chosen]}
