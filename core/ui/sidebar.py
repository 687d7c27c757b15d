"""The controls of a run: model, text, examples, number format. All but the text live in the URL."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models import catalogue
from core.ui.examples import EXAMPLES
from core.ui.running import forget_stop
from core.ui.words import note, small_print

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Request:
    """What is to be run, and the place in the sidebar where the controls of its views go."""

    model: str
    dtype: str
    text: str
    view_slot: DeltaGenerator


def request_controls() -> Request:
    """Model, text, examples and number format."""
    _start_with_example()
    with st.sidebar:
        listings = catalogue()
        names = [listing.entry.name for listing in listings if listing.unavailable is None]
        model = st.selectbox("Model", names, key="model", bind="query-params", persist_state="session")
        for listing in listings:
            if listing.entry.name == model:
                small_print(listing.entry.summary, "model-summary")
            elif listing.unavailable:
                small_print(f"{listing.entry.name}: {listing.unavailable}", "unavailable")
        if model is None:
            note("No model can be opened here: run pip install -r requirements.txt.", "error")
            st.stop()
        text = st.text_area("Text", key="text", height=118, on_change=_leave_example, persist_state="session")
        st.button(
            "Analyse",
            type="primary",
            icon=":material/bolt:",
            shortcut="Ctrl+Enter",
            width="stretch",
            on_click=forget_stop,
        )
        st.pills(
            "Examples",
            [example.title for example in EXAMPLES],
            key="example",
            on_change=_take_example,
        )
        view_slot = st.container(key="view_controls")
    return Request(model, _dtype(), text, view_slot)


def example_hint(text: str, layer: int, head: int) -> str | None:
    """What to look at, when an example is open on the head that it is about."""
    return next((e.hint for e in EXAMPLES if (e.text, e.layer, e.head) == (text, layer, head)), None)


def _dtype() -> str:
    with st.sidebar, st.expander("Number format", icon=":material/memory:"):
        chosen = st.segmented_control(
            "Number format of the weights",
            DTYPES,
            default="float32",
            key="dtype",
            bind="query-params",
            persist_state="session",
            required=True,
            help="The device is chosen by itself: CUDA, then Apple's MPS, then the CPU.",
            label_visibility="collapsed",
            width="stretch",
        )
    return chosen or "float32"


def _start_with_example() -> None:
    """A first visit opens the first example, on the head that the link or else the example names."""
    if "text" in st.session_state:
        return
    first = EXAMPLES[0]
    st.session_state.text = first.text
    if not {"layer", "head"} & set(st.query_params):
        st.session_state.layer, st.session_state.head = first.layer, first.head


def _take_example() -> None:
    """Put the chosen example into the text box and open the head that it is about."""
    chosen = next((example for example in EXAMPLES if example.title == st.session_state.example), None)
    if chosen is not None:
        st.session_state.text = chosen.text
        st.session_state.layer, st.session_state.head = chosen.layer, chosen.head
    forget_stop()


def _leave_example() -> None:
    """A text of the reader's own is no example any more."""
    st.session_state.example = None
