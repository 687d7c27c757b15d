"""Words or tokens: where a text has too few words to rank, its tokens are scored until somebody chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.ui.saliency.state import BY_CHOSEN, BY_FITTING

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
    """Learn what fits the text; the page starts again where that is not what was scored and nobody chose it."""
    from core.saliency.asking import groups_of

    words, tokens = (len(groups_of(question.tokens, by)) for by in (WORD, TOKEN))
    fits = TOKEN if words < FEWEST and words < tokens else WORD
    st.session_state[BY_FITTING] = fits
    if question.by != fits and not st.session_state.get(BY_CHOSEN):
        st.rerun()
