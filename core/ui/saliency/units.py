"""Choices that follow from the question: tokens for a text of too few words, and the one number of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.ui.saliency.state import BY_CHOSEN, BY_FITTING, ONLY_SCALAR

if TYPE_CHECKING:
    from core.saliency import Question

WORD, TOKEN = "word", "token"
# Fewer have hardly an order.
FEWEST = 3


def choose() -> None:
    """Somebody chose; to be called as a callback."""
    st.session_state[BY_CHOSEN] = True


def fitting() -> str:
    """What is scored until somebody chooses."""
    return str(st.session_state.get(BY_FITTING, WORD))


def fit(question: Question) -> None:
    """Learn what fits the question; the page starts again where the controls, or what was scored, did not."""
    from core.saliency.asking import groups_of
    from core.saliency.scalars import SCALARS

    words, tokens = (len(groups_of(question.tokens, by)) for by in (WORD, TOKEN))
    fits = TOKEN if words < FEWEST and words < tokens else WORD
    only = "" if question.scalar in SCALARS else question.scalar
    news = st.session_state.get(ONLY_SCALAR, "") != only
    st.session_state[BY_FITTING], st.session_state[ONLY_SCALAR] = fits, only
    if news or (question.by != fits and not st.session_state.get(BY_CHOSEN)):
        st.rerun()
