"""The forms of what an upload lacks, one below the other, and what somebody chose in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.models.preparing.choices import Choices
from core.ui.models.architecture.form import architecture_form
from core.ui.models.kept_forms import slot_of, slots_under
from core.ui.models.missing.base_form import base_form
from core.ui.models.missing.head_form import head_form
from core.ui.models.tokenizer.form import tokenizer_form
from core.ui.models.tokenizer.trial import TRIED
from core.ui.words import note

if TYPE_CHECKING:
    from core.models.finding import Candidate
    from core.models.tokenizing import TokenizerChoice


def choices(candidate: Candidate, key: str) -> Choices | None:
    """Draw the forms of what a candidate lacks, and return what is chosen; None, with a sentence, while one is open.

    key: of the forms in the page's state; answers are kept under it until another candidate comes with the same key.
    """
    slot = slot_of(key, candidate)
    config: dict[str, Any] | None = None
    assumed: tuple[str, ...] = ()
    taken: dict[str, Any] = {}
    base: str | Path | None = None
    tokenizer: TokenizerChoice | None = None
    is_open = False
    if candidate.lacks("config") or candidate.lacks("model_type"):
        architecture = architecture_form(candidate, slot)
        if architecture is not None:
            config, assumed, taken = architecture.config, architecture.assumed, architecture.taken
        is_open = architecture is None
    elif candidate.lacks("head"):
        config = head_form(candidate, slot)
    lacks_architecture = is_open
    if candidate.lacks("base"):
        base = base_form(candidate, slot)
        is_open |= base is None
    if candidate.lacks("tokenizer"):
        tokenizer = tokenizer_form(candidate, slot, config or {})
        is_open |= tokenizer is None
    # Its form is long, and others may stand below it; they say by themselves what is open.
    if lacks_architecture:
        note("Before it can be opened, choose the architecture above.", "info")
    if is_open:
        return None
    return Choices(config, tokenizer, base, candidate.name, assumed, taken)


def tokenizer_choice(candidate: Candidate, key: str, config: Mapping[str, Any] | None = None) -> TokenizerChoice | None:
    """Draw the tokenizer's form for a candidate that came with one, and return the other one that is chosen.

    None while it is open, which it says itself. key: as in `choices`. config: what was chosen there, if anything.
    """
    return tokenizer_form(candidate, slot_of(key, candidate), config or {})


def tried_text(key: str) -> str | None:
    """The text that the tokenizer was last tried on, if it was typed there or made to suit it; key: as in `choices`."""
    tried = (st.session_state.get(f"{slot}{TRIED}") for slot in slots_under(key))
    return next((text for text in tried if text), None)
