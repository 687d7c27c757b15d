"""The controls of a run: model, texts, examples, writing, precision."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models import catalogue
from core.ui import address, first_texts, links, own_models, own_texts, remarks, writing
from core.ui.arrival import QUOTED, Arrival
from core.ui.example_choice import example_of_small_model, example_pills, show_example
from core.ui.examples import EXAMPLES, MODEL, Example
from core.ui.model_menu import choose_model, more_models, openable
from core.ui.picks import open_head
from core.ui.precision import PLAIN, precisions, words_of
from core.ui.running import Task, forget_stop, insisted
from core.ui.small_models import small_model
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard

KNOWN = "known_models"
# What an address names that was seen in one text; a model, a view or a scale may be asked for with any.
OF_A_TEXT = ("layer", "head", "query", "key", "heads", "row", "col")
_NO_TEXT = "The address does not carry the text of the view it names: the first example is shown instead."
_NO_SECOND_TEXT = "The address does not carry the text beside the example: the example is shown alone."


@dataclass(frozen=True)
class Request:
    """What is to be run, and the place in the sidebar of the controls that come later.

    example: the example that the text is, or None for a text of the reader's own.
    texts_address: the parameters that bring back the texts that are the reader's own.
    """

    task: Task
    example: Example | None
    view_slot: DeltaGenerator
    texts_address: dict[str, str] = field(default_factory=dict)

    @property
    def opening(self) -> Example | None:
        """The example whose head is worth opening: the hints are about one model only."""
        plain = self.task.model == MODEL and self.task.text_pair is None
        return self.example if plain and self.example and not self.example.models else None

    @property
    def own_texts(self) -> dict[str, str]:
        """The texts that are the reader's own, by their names in an address."""
        # An example with a second text beside it is no example any more.
        own = None if self.example and not self.task.text_pair else self.task.text
        texts = {"text": own, "text_pair": self.task.text_pair, "target": self.task.writing.target}
        return {name: text for name, text in texts.items() if text}

    @property
    def address(self) -> dict[str, str]:
        """The parameters that reopen this request."""
        example = {"example": self.example.slug} if self.example and not self.task.text_pair else {}
        writes = self.task.writing.address
        return {"model": self.task.model, "dtype": self.task.dtype, **example, **writes, **self.texts_address}


def request_controls() -> Request:
    """Draw the controls, set to what an address asks for if somebody arrives by one."""
    arriving = address.take("request")
    names = openable()
    with st.sidebar:
        small_print("See what a model attends to: every head, on your own text.", "motto")
        if arriving is not None:
            _arrive(arriving, names)
            remarks.keep(arriving.remarks)
        model = choose_model(names)
        small = small_model(model)
        if small is not None and small.text and any(e.text == st.session_state.get("text") for e in EXAMPLES):
            _open_text(small.text)
        card: ModelCard | None = st.session_state.get(KNOWN, {}).get(model)
        text = st.text_area("Text", key="text", height=100, on_change=_leave_example, persist_state="session")
        text_pair = _second_text() if card is None or not card.writes else None
        st.button(
            "Analyse",
            type="primary",
            icon=":material/bolt:",
            shortcut="Ctrl+Enter",
            width="stretch",
            on_click=forget_stop,
        )
        if small is None:
            example_pills(open_example)
        else:
            example_of_small_model(small, open_text)
        writing_slot = st.container(key="writing_controls")
        view_slot = st.container(key="view_controls")
        dtype = _precision()
        more_models()
    example = next((e for e in EXAMPLES if e.text == text), None)
    task = Task(model, dtype, text, text_pair, writing.writing_controls(card, writing_slot), insisted(model))
    request = Request(task, example, view_slot)
    return replace(request, texts_address=links.in_address(request.own_texts))


def learn(model: str, card: ModelCard) -> None:
    """Remember what a model can do, so that its controls stand before its next run, and stay if that run fails."""
    known = st.session_state.setdefault(KNOWN, {})
    if model not in known:
        known[model] = card
        if card.writes:
            st.rerun()


def first_visit() -> dict[str, str]:
    """The part of a first visit's address that says what is run."""
    default = catalogue()[0].entry.name
    return {"model": default, "dtype": PLAIN[0], "example": EXAMPLES[0].slug}


def open_example(example: Example) -> None:
    """Put an example into the text box and open the head that it is about; to be called as a callback."""
    st.session_state.text, st.session_state.text_pair = example.text, ""
    show_example(example.title)
    if st.session_state.model == MODEL:
        open_head(example.layer, example.head)
    forget_stop()


def open_text(text: str) -> None:
    """Put a text into the text box that is none of the examples; to be called as a callback."""
    _open_text(text)
    forget_stop()


def _open_text(text: str) -> None:
    st.session_state.text, st.session_state.text_pair = text, ""
    show_example(None)


def _second_text() -> str | None:
    with st.expander("Second text", icon=":material/vertical_split:", expanded=bool(st.session_state.get("text_pair"))):
        pair = st.text_area(
            "Second text",
            key="text_pair",
            height=68,
            persist_state="session",
            label_visibility="collapsed",
            placeholder="Read after the first, as a pair",
        )
    return pair if pair.strip() else None


def _precision() -> str:
    offered = precisions()
    with st.expander("Precision", icon=":material/memory:"):
        chosen = st.selectbox(
            "Precision of the weights",
            offered.names,
            format_func=words_of,
            key="dtype",
            persist_state="session",
            label_visibility="collapsed",
        )
        small_print("The device is chosen by itself: CUDA, then Apple's MPS, then the CPU.", "device-rule")
        for sentence in offered.refused:
            small_print(sentence, "precision-refused")
    return str(chosen)


def _arrive(arriving: Arrival, names: list[str]) -> None:
    """Set the controls to what an address asks for, as far as it can be had."""
    state = st.session_state
    state.model = _model_asked_for(arriving, names)
    said = tuple(arriving.remarks)
    state.dtype = arriving.choice("dtype", precisions().names, PLAIN[0], "precision")
    writing.arrive(arriving)
    texts = {**dict.fromkeys(links.TEXTS, ""), **_texts(arriving)}
    if own_models.is_gone(arriving.get("model") or ""):
        # What was read in it is gone with it, which needs no sentence of its own.
        arriving.remarks[:] = said
    example = next((e for e in EXAMPLES if e.text == texts["text"]), None)
    show_example(example.title if example else None)
    for name, text in texts.items():
        state[name] = text


def _model_asked_for(arriving: Arrival, names: list[str]) -> str:
    asked = arriving.get("model")
    if asked is None or asked in names:
        return asked or names[0]
    if (gone := own_models.why_gone(asked)) is not None:
        arriving.remarks.append(f"{gone}; {names[0]} is used.")
        # Of another model, they mean nothing.
        address.leave_out("selection", ("stream", *OF_A_TEXT))
    else:
        arriving.remarks.append(f"There is no model {asked[:QUOTED]} here: {names[0]} is used.")
    return names[0]


def _texts(arriving: Arrival) -> dict[str, str]:
    """The texts of an address by their names: of a link, of this browser session, else an example's."""
    linked, number = links.texts_of(arriving), arriving.get(own_texts.NUMBER)
    own, asked = own_texts.remembered(number), arriving.get("example")
    example = next((e for e in EXAMPLES if e.slug == asked), None)
    if asked is not None and example is None:
        arriving.remarks.append(f"There is no example {asked[:QUOTED]} here.")
    lost = number is not None and own is None
    names_a_view = asked is None and "text" not in arriving and any(name in arriving for name in OF_A_TEXT)
    if lost or (names_a_view and own is None):
        arriving.remarks.append(_NO_SECOND_TEXT if example else _NO_TEXT)
    if lost:
        address.leave_out("selection", links.PICKED)
    first = example.text if example else first_texts.text_of(str(st.session_state.model)) or EXAMPLES[0].text
    return {"text": first, **linked, **(own or {})}


def _leave_example() -> None:
    """A text of the reader's own is no example any more."""
    show_example(None)
