"""The controls of a run: model, text, examples, precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models import catalogue
from core.ui.address import take
from core.ui.examples import EXAMPLES, Example
from core.ui.model_menu import choose_model, more_models, openable
from core.ui.running import Task, forget_stop, insisted
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard

MOST_WRITTEN = 256
DTYPES = ("float32", "bfloat16", "float16")
_NO_TEXT = "The address does not carry the text of the view it names: the first example is shown instead."


@dataclass(frozen=True)
class Request:
    """What is to be run, what the address has to say about it, and the place of the controls of its views.

    example: the example that the text is, or None for a text of the reader's own.
    remarks: sentences on what an address asked for and did not get.
    """

    task: Task
    example: Example | None
    remarks: tuple[str, ...]
    view_slot: DeltaGenerator

    @property
    def address(self) -> dict[str, str]:
        """The parameters that reopen this request; a text of the reader's own never goes into an address."""
        example = {"example": self.example.slug} if self.example else {}
        writing = {"generate": str(self.task.generate)} if self.task.generate else {}
        return {"model": self.task.model, "dtype": self.task.dtype, **example, **writing}


def request_controls() -> Request:
    """Draw the controls, set to what an address asks for if somebody arrives by one."""
    arriving = take("request")
    names = openable()
    with st.sidebar:
        small_print("See what a Transformer attends to: every head, on your own text.", "motto")
        remarks = () if arriving is None else _arrive(arriving, names)
        model = choose_model(names)
        text = st.text_area("Text", key="text", height=118, on_change=_leave_example, persist_state="session")
        st.button(
            "Analyse",
            type="primary",
            icon=":material/bolt:",
            shortcut="Ctrl+Enter",
            width="stretch",
            on_click=forget_stop,
        )
        titles = [example.title for example in EXAMPLES]
        st.pills("Examples", titles, key="example", on_change=_take_example, persist_state="session")
        view_slot = st.container(key="view_controls")
        dtype = _precision()
        more_models()
    example = next((e for e in EXAMPLES if e.text == text), None)
    target, generate = st.session_state.get("target") or None, st.session_state.get("generate", 0)
    task = Task(model, dtype, text, target, generate, insisted(model))
    return Request(task, example, remarks, view_slot)


def writing_controls(card: ModelCard, slot: DeltaGenerator) -> None:
    """For a model that writes: how much it may write, and what an encoder-decoder is made to say instead."""
    if not card.writes:
        return
    with slot:
        most = min(MOST_WRITTEN, card.max_tokens)
        st.number_input("Let the model write (tokens)", 0, most, step=1, key="generate", persist_state="session")
        if "cross" in card.streams:
            st.text_area("Or make it say", key="target", height=68, persist_state="session")


def first_visit() -> dict[str, str]:
    """The part of a first visit's address that says what is run."""
    default = catalogue()[0].entry.name
    return {"model": default, "dtype": DTYPES[0], "example": EXAMPLES[0].slug}


def _precision() -> str:
    with st.expander("Precision", icon=":material/memory:"):
        chosen = st.segmented_control(
            "Precision of the weights",
            DTYPES,
            key="dtype",
            persist_state="session",
            required=True,
            label_visibility="collapsed",
            width="stretch",
        )
        small_print("The device is chosen by itself: CUDA, then Apple's MPS, then the CPU.", "device-rule")
    return str(chosen)


def _arrive(parameters: Mapping[str, str], names: list[str]) -> tuple[str, ...]:
    """Set the controls to what an address asks for, as far as it can be had; returns what could not."""
    remarks = []
    state = st.session_state
    for key, options in (("model", names), ("dtype", DTYPES)):
        asked = parameters.get(key, options[0])
        state[key] = asked if asked in options else options[0]
        if asked not in options:
            remarks.append(f"There is no {key} {asked[:40]} here: {options[0]} is used.")
    written = parameters.get("generate", "0")
    state.generate = int(written) if written in map(str, range(MOST_WRITTEN + 1)) else 0
    example = next((e for e in EXAMPLES if e.slug == parameters.get("example")), None)
    if example is None and "text" not in state:
        example = EXAMPLES[0]
        remarks += [_NO_TEXT] if parameters else []
    if example is not None:
        state.text, state.example = example.text, example.title
    return tuple(remarks)


def _take_example() -> None:
    """Put the chosen example into the text box and open the head that it is about."""
    chosen = next((e for e in EXAMPLES if e.title == st.session_state.example), None)
    if chosen is not None:
        st.session_state.text = chosen.text
        st.session_state.layer, st.session_state.head = chosen.layer, chosen.head
    forget_stop()


def _leave_example() -> None:
    """A text of the reader's own is no example any more."""
    st.session_state.example = None
