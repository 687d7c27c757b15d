"""The sidebar of the page: source, scheme and its numbers, or model, text and examples."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.positions import SCHEMES
from core.ui import address, remarks
from core.ui.examples import Example
from core.ui.model_menu import summary_of
from core.ui.pills import text_pills
from core.ui.positions.answering import forget_stop
from core.ui.positions.arriving import arrive
from core.ui.positions.causal_switch import causal_switch
from core.ui.positions.deberta_versions import VERSIONS
from core.ui.positions.fields import FIELDS, option_words, used_by, value_words
from core.ui.positions.offered import FIRST_BESIDE, FORMULA, MODEL_ITSELF, SOURCES, examples_of, first_text, models
from core.ui.positions.state import (
    CHOSEN,
    MODEL,
    ORDER,
    OTHER,
    SCHEME,
    SOURCE,
    TEXT,
    VERSION,
    VIEW,
    key_of,
)
from core.ui.positions.wish import Wish, fill, follow_view, forget_look, forget_parts, part_sides, wish_of_state
from core.ui.words import small_print

MOTTO = "How order gets in: each scheme as a formula, and as trained models have it."
SOURCE_HELP = "The formula with your numbers, or what the open model has, read from its weights."
VERSION_HELP = "The first version clips far offsets; the second and the third put them into buckets that grow."
# Shown as two or three words side by side, others as a menu or a slider.
SEGMENTED = ("layout",)


def controls() -> tuple[Wish, DeltaGenerator]:
    """Draw the controls, set to what an address asks for; also returns the place of those that the model decides."""
    arriving = address.take("positions")
    if arriving is not None:
        arrive(arriving)
        remarks.keep(arriving.remarks)
    fill()
    wish = wish_of_state()
    with st.sidebar:
        small_print(MOTTO, "motto")
        if wish.is_of_schemes:
            _schemes(wish)
        if wish.reads_model:
            _model(wish)
        slot = st.container(key="positions_parts")
    return wish_of_state(), slot


def choose_scheme(name: str) -> None:
    """Look at the formula of a scheme, in the view that shows schemes; to be called as a callback."""
    state = st.session_state
    state[SCHEME], state[SOURCE] = name, FORMULA
    _follow_scheme()
    if state[VIEW] not in ("scheme", "pair"):
        state[VIEW] = "scheme"


def open_view(view: str) -> None:
    """Look at another view; to be called as a callback."""
    st.session_state[VIEW] = view
    follow_view()


def open_model(name: str) -> None:
    """Look at what a model has; to be called as a callback."""
    state = st.session_state
    state[SOURCE] = MODEL_ITSELF
    if state[MODEL] != name:
        state[MODEL] = name
        _follow_model()


def open_model_beside(name: str, is_left: bool) -> None:
    """Look at what a model has on one side, and at a formula on the other; to be called as a callback."""
    state = st.session_state
    open_model(name)
    if is_left and state[OTHER] == MODEL_ITSELF:
        state[OTHER] = FIRST_BESIDE
    elif not is_left:
        state[SOURCE], state[OTHER] = FORMULA, MODEL_ITSELF


def open_order() -> None:
    """Look at what order is worth; to be called as a callback."""
    open_view("order")


def text_box() -> None:
    """The text that goes through the model, and texts to start from."""
    st.text_area("Text", key=TEXT, height=90, on_change=_own_text, persist_state="session")
    st.button(
        "Read",
        type="primary",
        icon=":material/bolt:",
        shortcut="Ctrl+Enter",
        width="stretch",
        on_click=forget_stop,
        key="positions_run",
    )
    model = str(st.session_state[MODEL])
    text_pills("positions", model, examples_of(model), str(st.session_state[TEXT]), _open_example)


def _schemes(wish: Wish) -> None:
    st.segmented_control(
        "Source",
        tuple(SOURCES),
        format_func=SOURCES.__getitem__,
        key=SOURCE,
        persist_state="session",
        required=True,
        width="stretch",
        help=SOURCE_HELP,
        on_change=_follow_scheme,
    )
    if wish.source != MODEL_ITSELF:
        st.selectbox(
            "Scheme", tuple(SCHEMES), format_func=_title, key=SCHEME, on_change=_follow_scheme, persist_state="session"
        )
    if wish.is_pair:
        st.selectbox(
            "Beside",
            (*SCHEMES, MODEL_ITSELF),
            format_func=_title,
            key=OTHER,
            on_change=forget_look,
            persist_state="session",
        )
    if "deberta" in wish.schemes:
        st.segmented_control(
            "Version", tuple(VERSIONS), format_func=VERSIONS.__getitem__, key=VERSION, persist_state="session",
            required=True, width="stretch", help=VERSION_HELP,
        )  # fmt: skip
    for name in dict.fromkeys(field for scheme in wish.schemes for field in used_by(scheme, wish.version)):
        if name == "causal":
            causal_switch(wish.schemes)
        elif name in FIELDS and _applies(name, wish):
            _slider(name)


def _applies(name: str, wish: Wish) -> bool:
    """What only matters with a scaling is there with one only; beside another scheme, so is what it starts from."""
    if name == "layout":
        return not wish.is_pair
    scaled = ("factor", "trained") if wish.is_pair else ("factor",)
    return name not in scaled or wish.settings.scaling != "none"


def _follow_scheme() -> None:
    """Another scheme: what was looked at in the old one is forgotten, and another one stands beside it."""
    forget_look()
    if st.session_state[VIEW] == "pair":
        part_sides()


def _slider(name: str) -> None:
    field, key = FIELDS[name], key_of(name)
    common: dict[str, Any] = dict(key=key, persist_state="session", help=field.help)
    if not field.options:
        st.slider(field.label, field.low, field.high, step=field.step, **common)
    elif name in SEGMENTED:
        st.segmented_control(
            field.label, field.options, format_func=value_words, required=True, width="stretch", **common
        )
    elif name == "scaling":
        st.selectbox(field.label, field.options, format_func=partial(option_words, name), **common)
    else:
        st.select_slider(field.label, field.options, format_func=value_words, **common)


def _title(name: str) -> str:
    return "The open model" if name == MODEL_ITSELF else SCHEMES[name].title


def _model(wish: Wish) -> None:
    st.selectbox("Model", models(), key=MODEL, on_change=_follow_model, persist_state="session")
    small_print(summary_of(wish.model), "model-summary")
    if wish.reads_text:
        text_box()


def _follow_model() -> None:
    """A text that was an example of the model before gives way to one of the new model."""
    state = st.session_state
    state[CHOSEN] = True
    known = {example.text for name in models() for example in examples_of(name)}
    if state[TEXT] in known:
        state[TEXT] = first_text(str(state[MODEL]), str(state[VIEW]))
    forget_parts()
    forget_stop()


def _own_text() -> None:
    """A text was typed. The box also reports texts that a view set, which nobody chose."""
    state = st.session_state
    if all(example.text != state[TEXT] for example in examples_of(str(state[MODEL]))):
        state[CHOSEN] = True
    _forget_order()


def _forget_order() -> None:
    st.session_state[ORDER] = None


def _open_example(example: Example) -> None:
    st.session_state[TEXT], st.session_state[CHOSEN] = example.text, True
    _forget_order()
    forget_stop()
