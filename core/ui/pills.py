"""Examples as pills over a text box that a page keeps in its own state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import streamlit as st


class Shown(Protocol):
    """What a pill shows, and what it opens."""

    @property
    def title(self) -> str: ...

    @property
    def text(self) -> str: ...


E = TypeVar("E", bound=Shown)


def text_pills(page: str, subject: str, examples: Sequence[E], text: str, open_example: Callable[[E], None]) -> None:
    """Draw the pills of a page; `open_example` is called with the one that is chosen.

    subject: what the examples are for, such as a model; text: what stands in the box.
    """
    shown = next((example.title for example in examples if example.text == text), None)
    key = _key(page, subject, shown)
    if key not in st.session_state:
        st.session_state[key] = shown
    st.pills(
        "Examples",
        [example.title for example in examples],
        key=key,
        on_change=_take,
        args=(page, subject, key, examples, open_example),
        persist_state="session",
    )


def _key(page: str, subject: str, shown: str | None) -> str:
    """A new key whenever something else than a pill opened a text: see `core.ui.example_choice.show_example`."""
    state, now = st.session_state, (subject, shown)
    if state.get(f"{page}_shown_pill") != now:
        state[f"{page}_shown_pill"] = now
        state[f"{page}_round_of_pills"] = state.get(f"{page}_round_of_pills", 0) + 1
    return f"{page}_pills_{state[f'{page}_round_of_pills']}"


def _take(page: str, subject: str, key: str, examples: Sequence[E], open_example: Callable[[E], None]) -> None:
    chosen = next((example for example in examples if example.title == st.session_state[key]), None)
    if chosen is not None:
        st.session_state[f"{page}_shown_pill"] = (subject, chosen.title)
        open_example(chosen)
