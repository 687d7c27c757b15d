"""The sidebar of the page: sentence, examples, direction, models, decoding, gold links."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui import address, remarks
from core.ui.alignment.examples import examples_of
from core.ui.alignment.going_on import arrive_at_prefix
from core.ui.alignment.gold_choice import gold_controls, leave_pair
from core.ui.alignment.models import MOST_SIDE_BY_SIDE, OTHER, SHORT_DIRECTIONS, directions, labels_of, offered
from core.ui.alignment.state import BEAMS, DECODING, DIRECTION, MODELS, STOPPED, TARGET, TEXT
from core.ui.alignment.wish import (
    DECODINGS,
    Wish,
    arrive,
    fill,
    first_text,
    open_direction,
    open_text,
    wish_of_state,
)
from core.ui.pills import text_pills
from core.ui.small_models import small_model
from core.ui.words import small_print
from core.ui.writing import MOST_BEAMS

MOTTO = "One sentence through several models: what each writes, and where it looks while it does."
NO_TARGET = "Type what the models are to say; until then they write by themselves."
DECODING_HELP = (
    "Greedy: the likeliest token at each step. Beam: several texts side by side, the best whole one wins. Forced: your "
    "own translation is fed in, and the weights are those with which the model would have said it."
)


def controls() -> tuple[Wish, DeltaGenerator]:
    """Draw the controls, set to what an address asks for if somebody arrives by one; and the place of later ones."""
    arriving = address.take("alignment")
    if arriving is not None:
        arrive(arriving)
        arrive_at_prefix(arriving, wish_of_state())
        remarks.keep(arriving.remarks)
    fill()
    direction = st.session_state[DIRECTION]
    with st.sidebar:
        small_print(MOTTO, "motto")
        st.segmented_control(
            "Direction",
            directions(),
            format_func=SHORT_DIRECTIONS.__getitem__,
            key=DIRECTION,
            persist_state="session",
            required=True,
            on_change=follow_direction,
            label_visibility="collapsed",
            width="stretch",
        )
        st.text_area("Sentence", key=TEXT, height=90, on_change=leave_pair, persist_state="session")
        st.button(
            "Translate" if direction != OTHER else "Run",
            type="primary",
            icon=":material/bolt:",
            shortcut="Ctrl+Enter",
            width="stretch",
            on_click=forget_stop,
            key="alignment_run",
        )
        _chips(direction)
        _models(direction)
        _decoding()
        gold_controls(direction)
        slot = st.container(key="alignment_view_controls")
    return wish_of_state(), slot


def forget_stop() -> None:
    """A new press means that an earlier stop no longer counts."""
    st.session_state.pop(STOPPED, None)


def open_example(text: str) -> None:
    """Put an example into the box; to be called as a callback."""
    open_text(text)
    forget_stop()


def _chips(direction: str) -> None:
    examples = examples_of(direction)
    if not examples:
        _own_example()
        return
    text_pills("alignment", direction, examples, str(st.session_state[TEXT]), lambda chosen: open_example(chosen.text))


def _own_example() -> None:
    """What stands there for models without examples: what the first of them reads, and its own example."""
    small = next((s for name in st.session_state[MODELS] if (s := small_model(name)) is not None), None)
    if small is None:
        return
    small_print(small.reads, "alphabet")
    if small.text:
        st.button(
            f"{small.title}: {small.text}",
            on_click=open_example,
            args=(small.text,),
            disabled=st.session_state[TEXT] == small.text,
            width="stretch",
            key="alignment_own_example",
        )


def _models(direction: str) -> None:
    labels = labels_of(offered(direction))
    st.multiselect(
        "Models side by side",
        list(labels),
        format_func=labels.__getitem__,
        key=MODELS,
        persist_state="session",
        max_selections=MOST_SIDE_BY_SIDE,
        placeholder="Choose up to four",
        on_change=_follow_models,
    )


def _decoding() -> None:
    chosen = st.segmented_control(
        "Decoding",
        tuple(DECODINGS),
        format_func=DECODINGS.__getitem__,
        key=DECODING,
        persist_state="session",
        required=True,
        help=DECODING_HELP,
        width="stretch",
    )
    if chosen == "beam":
        st.number_input("Beams", 2, MOST_BEAMS, step=1, key=BEAMS, persist_state="session")
    elif chosen == "forced":
        st.text_area(
            "What they are made to say",
            key=TARGET,
            height=68,
            on_change=leave_pair,
            persist_state="session",
        )
        if not str(st.session_state[TARGET]).strip():
            small_print(NO_TARGET, "no-target")


def follow_direction() -> None:
    """Another direction was chosen; to be called as a callback."""
    open_direction(st.session_state[DIRECTION])
    forget_stop()


def _follow_models() -> None:
    """Models with a small alphabet bring their own example along, unless somebody typed something else."""
    state = st.session_state
    if state[DIRECTION] == OTHER:
        examples = {small.text for name in offered(OTHER) if (small := small_model(name)) is not None}
        if state[TEXT] in {"", *examples}:
            open_text(first_text(OTHER, state[MODELS]))
