"""The controls of a run: model, text, examples, precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models import catalogue
from core.ui.address import take
from core.ui.examples import EXAMPLES, MODEL, Example
from core.ui.model_menu import choose_model, more_models, openable
from core.ui.running import Task, forget_stop, insisted
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard

KNOWN = "known_models"
MOST_WRITTEN = 256
DTYPES = ("float32", "bfloat16", "float16")
_NO_TEXT = "The address does not carry the text of the view it names: the first example is shown instead."


@dataclass(frozen=True)
class Request:
    """What is to be run, what the address has to say about it, and the places of controls that come later.

    example: the example that the text is, or None for a text of the reader's own.
    remarks: sentences on what an address asked for and did not get.
    """

    task: Task
    example: Example | None
    remarks: tuple[str, ...]
    view_slot: DeltaGenerator
    writing_slot: DeltaGenerator

    @property
    def opening(self) -> Example | None:
        """The example whose head is worth opening: the hints are about one model only."""
        return self.example if self.task.model == MODEL else None

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
        writing_slot = st.empty()
        dtype = _precision()
        more_models()
    example = next((e for e in EXAMPLES if e.text == text), None)
    target, generate = writing_controls(model, writing_slot)
    task = Task(model, dtype, text, target, generate, insisted(model))
    return Request(task, example, remarks, view_slot, writing_slot)


def learn(model: str, card: ModelCard) -> None:
    """Remember what a model can do, so that its controls stand before its next run, and stay if that run fails."""
    known = st.session_state.setdefault(KNOWN, {})
    if model not in known:
        known[model] = card
        if card.writes:
            st.rerun()


def writing_controls(model: str, slot: DeltaGenerator) -> tuple[str | None, int]:
    """What an encoder-decoder is made to say, and how much a model may write; (None, 0) for one that does not write."""
    card = st.session_state.get(KNOWN, {}).get(model)
    if card is None:
        return (st.session_state.get("target") or "").strip() or None, st.session_state.get("generate", 0)
    if not card.writes:
        return None, 0
    answers = "cross" in card.streams
    most = min(MOST_WRITTEN, card.max_tokens)
    st.session_state.generate = min(st.session_state.get("generate", 0), most)
    with slot.container():
        label = "Answer with at most (tokens; 0 means 128)" if answers else "Let the model write (tokens)"
        generate = st.number_input(label, 0, most, step=1, key="generate", persist_state="session")
        if not answers:
            return None, int(generate)
        target = st.text_area("Or make it say", key="target", height=68, persist_state="session")
    return target.strip() or None, int(generate)


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
    for key, what, options in (("model", "model", names), ("dtype", "precision", DTYPES)):
        asked = parameters.get(key, options[0])
        state[key] = asked if asked in options else options[0]
        if asked not in options:
            remarks.append(f"There is no {what} {asked[:40]} here: {options[0]} is used.")
    written = parameters.get("generate", "0")
    state.generate = int(written) if written in map(str, range(MOST_WRITTEN + 1)) else 0
    if str(state.generate) != written:
        remarks.append(f"A model writes 0 to {MOST_WRITTEN} tokens here, not {written[:20]}: none are written.")
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
        if st.session_state.model == MODEL:
            st.session_state.layer, st.session_state.head = chosen.layer, chosen.head
    forget_stop()


def _leave_example() -> None:
    """A text of the reader's own is no example any more."""
    st.session_state.example = None
