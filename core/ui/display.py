"""How the weights are drawn: colour scale, what the strongest colour stands for, words, special tokens."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import Filters
from core.ui.arrival import Arrival
from core.ui.picks import SPECIAL, WORDS
from core.views import SCALES, SPANS

SCALE, SPAN = "scale", "span"
DEFAULT_SCALE = "sqrt"
DEFAULT_SPAN = "head"
SPECIALS = {"show": "Show", "hide": "Hide", "renormalise": "Rescale"}
_NO_SPECIAL = "This model puts no special tokens around the text."
_SPECIAL_HELP = (
    "“Hide” leaves them out of the maps: rows then sum to less than 1. “Rescale” also divides each row by what is left."
)


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for."""
    state = st.session_state
    state[SCALE] = arriving.choice("scale", tuple(SCALES), DEFAULT_SCALE, "colour scale")
    state[SPAN] = arriving.choice("span", tuple(SPANS), DEFAULT_SPAN, "span of colours")
    state[WORDS] = arriving.flag("words", "Merging to words")
    state[SPECIAL] = arriving.choice("special", tuple(SPECIALS), "show", "way with special tokens")


def display_controls(slot: DeltaGenerator, special: bool) -> tuple[str, str, Filters]:
    """Draw the controls: scale, span, filters. special: whether there are special tokens to hide."""
    with slot:
        scale = st.segmented_control(
            "Colour scale", tuple(SCALES), key=SCALE, persist_state="session", required=True, width="stretch"
        )
        with st.expander("Display", icon=":material/tune:"):
            span = st.selectbox(
                "Strongest colour", tuple(SPANS), format_func=_span_words, key=SPAN, persist_state="session"
            )
            words = st.toggle("Merge to words", key=WORDS, persist_state="session")
            hidden = st.segmented_control(
                "Special tokens",
                tuple(SPECIALS),
                format_func=SPECIALS.__getitem__,
                key=SPECIAL,
                persist_state="session",
                required=True,
                disabled=not special,
                help=_SPECIAL_HELP if special else _NO_SPECIAL,
                width="stretch",
            )
    return str(scale), str(span), Filters(words, str(hidden) if special else "show")


def display_address(scale: str, span: str, filters: Filters) -> dict[str, str]:
    """The parameters that ask for the same."""
    spans = {} if span == DEFAULT_SPAN else {"span": span}
    words = {"words": "1"} if filters.words else {}
    special = {} if filters.special == "show" else {"special": filters.special}
    return {"scale": scale, **spans, **words, **special}


def _span_words(span: str) -> str:
    return SPANS[span][:1].upper() + SPANS[span][1:]
