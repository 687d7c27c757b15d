"""Sentences on what was asked for and could not be had, kept until a page has told them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

_KEPT = "untold_remarks"


def keep(sentences: Iterable[str | None]) -> None:
    """Remember sentences for the next page that is drawn to its end; a run may start again before."""
    st.session_state[_KEPT] = (*st.session_state.get(_KEPT, ()), *filter(None, sentences))


def told() -> tuple[str, ...]:
    """The sentences that no page has told yet; they are told now."""
    kept: tuple[str, ...] = st.session_state.pop(_KEPT, ())
    return kept
