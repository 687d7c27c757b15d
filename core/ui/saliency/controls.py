"""The sidebar of the page: model, text, examples, and how its answer is explained."""

from __future__ import annotations

import streamlit as st

from core.ui import address, remarks
from core.ui.examples import Example
from core.ui.model_menu import summary_of
from core.ui.pills import text_pills
from core.ui.saliency.offered import SECOND_TEXT, examples_of, first_text, models
from core.ui.saliency.state import (
    AGGREGATION,
    ANSWER,
    BASELINE,
    BY,
    METHODS,
    MODEL,
    ONLY_SCALAR,
    PAIR,
    SCALAR,
    STOPPED,
    STOPPED_WORKS,
    TEXT,
)
from core.ui.saliency.units import choose
from core.ui.saliency.wish import (
    AGGREGATIONS,
    BASELINES,
    SCALARS,
    UNITS,
    Wish,
    arrive,
    fill,
    forget_target,
    wish_of_state,
)
from core.ui.words import small_print

MOTTO = "Attention beside gradients on the same words, and what their agreement is worth."
SCALAR_HELP = (
    "The number that is explained. The margin is a label's logit over the others', or a token's over its foil; a "
    "probability near 1 hardly moves, and its gradients are noise."
)
ONLY_HELP = "A regression has its number and two texts have their cosine: there is no probability to choose."
BASELINE_HELP = (
    "What stands for an absent word in integrated gradients, GradientSHAP and Shapley values. By default [MASK], UNK "
    "of our own models (which our sentiment classifiers met in training), or the mean embedding."
)
AGGREGATION_HELP = (
    "How the gradient of an embedding becomes one number. These are different methods: on one model agreement with "
    "attention was .26 with one and .49 with another."
)
METHODS_HELP = "Each is a row. Those that do not apply to the model say why. Slow ones wait for a click."


def controls() -> Wish:
    """Draw the controls, set to what an address asks for if somebody arrives by one."""
    from core.saliency import METHODS as EVERY

    arriving = address.take("saliency")
    if arriving is not None:
        arrive(arriving, tuple(EVERY))
        remarks.keep(arriving.remarks)
    fill()
    with st.sidebar:
        small_print(MOTTO, "motto")
        st.selectbox("Model", models(), key=MODEL, on_change=_follow_model, persist_state="session")
        model = str(st.session_state[MODEL])
        small_print(summary_of(model), "model-summary")
        st.text_area("Text", key=TEXT, height=90, on_change=forget_target, persist_state="session")
        st.button(
            "Explain",
            type="primary",
            icon=":material/bolt:",
            shortcut="Ctrl+Enter",
            width="stretch",
            on_click=forget_stop,
            key="saliency_run",
        )
        text_pills("saliency", model, examples_of(model), str(st.session_state[TEXT]), open_example)
        _other_texts()
        _methods()
        st.segmented_control(
            "Scores for",
            tuple(UNITS),
            format_func=UNITS.__getitem__,
            key=BY,
            on_change=choose,
            persist_state="session",
            required=True,
            width="stretch",
        )
        _how()
    return wish_of_state()


def forget_stop() -> None:
    """A new press means that an earlier stop no longer counts."""
    st.session_state.pop(STOPPED, None)
    st.session_state.pop(STOPPED_WORKS, None)


def open_example(example: Example) -> None:
    """Put an example into the box; to be called as a callback."""
    st.session_state[TEXT] = example.text
    forget_target()
    forget_stop()


def _follow_model() -> None:
    """A text that was an example of the model before gives way to one of the new model."""
    state = st.session_state
    known = {example.text for name in models() for example in examples_of(name)}
    if state[TEXT] in known:
        state[TEXT] = first_text(str(state[MODEL]))
    forget_target()
    forget_stop()


def _other_texts() -> None:
    state = st.session_state
    opened = bool(state[PAIR].strip() or state[ANSWER].strip())
    with st.expander("Second text, or answer", icon=":material/vertical_split:", expanded=opened):
        st.text_area(
            "Second text",
            key=PAIR,
            height=68,
            on_change=forget_target,
            persist_state="session",
            placeholder=f"For models without a head: {SECOND_TEXT} For a choice: one a line.",
        )
        st.text_area(
            "Answer of a translator",
            key=ANSWER,
            height=68,
            on_change=forget_target,
            persist_state="session",
            placeholder="What it is made to say; empty for its own",
        )


def _methods() -> None:
    from core.saliency import METHODS as EVERY

    st.multiselect(
        "Methods",
        list(EVERY),
        format_func=lambda name: EVERY[name].title,
        key=METHODS,
        persist_state="session",
        help=METHODS_HELP,
        placeholder="Choose methods",
    )


def _how() -> None:
    with st.expander("How it is explained", icon=":material/tune:"):
        label = "What is explained"
        if only := st.session_state.get(ONLY_SCALAR):
            st.selectbox(label, (only,), disabled=True, help=ONLY_HELP, key=f"saliency_{only}")
        else:
            st.selectbox(label, SCALARS, key=SCALAR, persist_state="session", help=SCALAR_HELP)
        for label, key, options, words in (
            ("An absent word is", BASELINE, BASELINES, BASELINE_HELP),
            ("Gradient to number", AGGREGATION, AGGREGATIONS, AGGREGATION_HELP),
        ):
            st.selectbox(label, options, key=key, persist_state="session", help=words)
