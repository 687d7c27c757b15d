"""Which example is open, and what in the sidebar chooses one: pills, or the own example of a small model."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.ui import first_texts
from core.ui.examples import Example, example_with, examples_for
from core.ui.small_models import SmallModel
from core.ui.words import small_print

# Title of the example that is open, None for a text of the reader's own.
OPEN = "example"
_ROUND = "round_of_pills"
# The model that the text was last chosen for.
_FITTED = "model_of_example"


def show_example(title: str | None) -> None:
    """Let the pills show an example, or none; to be called before they are drawn.

    They become new ones. The old ones still say in the browser what was chosen before, and a press on another control
    that comes at the same time would otherwise bring that to us as a new choice, and its text over one just typed.
    """
    state = st.session_state
    if state.get(OPEN) != title:
        state[OPEN] = title
        state[_ROUND] = state.get(_ROUND, 0) + 1


def fit_example(model: str) -> None:
    """Where another model has just been chosen, open a text that it can read in the place of an example it is not for.

    To be called before the text box and the pills are drawn. What the reader wrote stays, and so does an example that
    the address names together with this model.
    """
    state = st.session_state
    if state.get(_FITTED) == model:
        return
    state[_FITTED] = model
    named = st.query_params.get("model") == model and "example" in st.query_params
    now, fitting = example_with(state.get("text")), examples_for(model)
    if now is None or named:
        return
    own = first_texts.text_of(model)
    if own or now not in fitting:
        state.text, state.text_pair = own or fitting[0].text, ""
        show_example(None if own else fitting[0].title)


def example_pills(open_example: Callable[[Example], None]) -> None:
    """Draw the pills of the model that is chosen; open_example is called with the one that is."""
    state = st.session_state
    fitting = examples_for(str(state.get("model", "")))
    # Pills of other examples are other ones: the browser knows a choice by its place among them.
    key = f"example_pills_{state.get(_ROUND, 0)}_{fitting[0].slug}"
    titles = [example.title for example in fitting]
    if key not in state:
        state[key] = state.get(OPEN) if state.get(OPEN) in titles else None
    st.pills("Examples", titles, key=key, on_change=_take, args=(key, open_example), persist_state="session")


def example_of_small_model(model: SmallModel, open_text: Callable[[str], None]) -> None:
    """Draw what stands in the place of the pills: what the model reads, and a button that opens its example."""
    small_print(model.reads, "alphabet")
    if model.text:
        st.button(
            f"{model.title}: {model.text}",
            on_click=open_text,
            args=(model.text,),
            disabled=st.session_state.get("text") == model.text,
            width="stretch",
            key="own_example",
        )


def _take(key: str, open_example: Callable[[Example], None]) -> None:
    fitting = examples_for(str(st.session_state.get("model", "")))
    chosen = next((e for e in fitting if e.title == st.session_state[key]), None)
    if chosen is not None:
        st.session_state[OPEN] = chosen.title
        open_example(chosen)
