"""The examples in a row, one key away each: what talk mode has instead of the sidebar."""

from __future__ import annotations

import streamlit as st

from core.ui.examples import examples_for
from core.ui.sidebar import open_example, open_text
from core.ui.small_models import SmallModel, small_model
from core.ui.words import small_print


def example_row() -> None:
    """The examples as buttons with the number keys."""
    model = str(st.session_state.get("model", ""))
    small = small_model(model)
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        if small is not None:
            _own_example(small)
            return
        for number, example in enumerate(examples_for(model), start=1):
            open_now = example.text == st.session_state.get("text")
            st.button(
                example.title,
                shortcut=str(number),
                type="primary" if open_now else "secondary",
                on_click=open_example,
                args=(example,),
                key=f"example_{number}",
            )


def _own_example(small: SmallModel) -> None:
    """What stands there for a model to which no other example means anything."""
    if small.text:
        open_now = small.text == st.session_state.get("text")
        st.button(
            f"{small.title}: {small.text}",
            shortcut="1",
            type="primary" if open_now else "secondary",
            on_click=open_text,
            args=(small.text,),
            key="example_own",
        )
    small_print(small.reads, "alphabet")
