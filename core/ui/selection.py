"""What is looked at: layer, head and colour scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.address import take
from core.ui.examples import EXAMPLES, Example
from core.views import SCALES
from core.views.captions import STREAM_WORDS

if TYPE_CHECKING:
    from core.capture import Trace

DEFAULT_SCALE = "sqrt"
ONLY_STREAM = "self"


@dataclass(frozen=True)
class Selection:
    """One head of one stream, and the scale it is drawn in.

    remarks: sentences on what an address, or the model before, asked for and this model does not have.
    """

    stream: str
    layer: int
    head: int
    scale: str
    remarks: tuple[str, ...]

    @property
    def address(self) -> dict[str, str]:
        """The parameters that reopen this view."""
        stream = {} if self.stream == ONLY_STREAM else {"stream": self.stream}
        return {**stream, "layer": str(self.layer), "head": str(self.head), "scale": self.scale}


def open_head(layer: int, head: int) -> None:
    """Open a head; to be called before the controls are drawn, as callbacks are."""
    st.session_state.layer, st.session_state.head = layer, head


def selection_controls(trace: Trace, slot: DeltaGenerator, example: Example | None) -> Selection:
    """Draw the controls into a place of the sidebar, set to what an address asks for if somebody arrives by one.

    example: the example that is open, if one is; it decides what an address leaves open.
    """
    arriving, state = take("selection"), st.session_state
    with slot:
        stream = _stream(trace, arriving)
    counts = {"layer": trace.layers(stream), "head": trace.heads(stream)}
    opening = example or EXAMPLES[0]
    source = state if arriving is None else arriving
    remarks = [_settle(key, source.get(key, getattr(opening, key)), count) for key, count in counts.items()]
    if arriving is not None:
        state.scale = arriving["scale"] if arriving.get("scale") in SCALES else DEFAULT_SCALE
    with slot:
        for column, (key, count) in zip(st.columns(2), counts.items(), strict=True):
            column.number_input(
                f"{key.capitalize()} (0–{count - 1})", 0, count - 1, step=1, key=key, persist_state="session"
            )
        scale = st.segmented_control(
            "Colour scale", list(SCALES), key="scale", persist_state="session", required=True, width="stretch"
        )
    return Selection(stream, int(state.layer), int(state.head), str(scale), tuple(filter(None, remarks)))


def _stream(trace: Trace, arriving: Mapping[str, str] | None) -> str:
    """The stream that is looked at; where a model has only one, nothing is asked."""
    streams = trace.streams
    asked = st.session_state.get("stream") if arriving is None else arriving.get("stream")
    st.session_state.stream = asked if asked in streams else streams[-1]
    if len(streams) == 1:
        return streams[0]
    names = STREAM_WORDS.__getitem__
    return str(st.selectbox("Attention", streams, format_func=names, key="stream", persist_state="session"))


def _settle(key: str, asked: object, count: int) -> str | None:
    """Open the number that is asked for, or 0 with a sentence that there is no such number."""
    there = str(asked) in map(str, range(count))
    st.session_state[key] = int(str(asked)) if there else 0
    if there:
        return None
    return f"There is no {key} {str(asked)[:20]} in this model, which has 0 to {count - 1}: {key} 0 is shown."


def first_visit() -> dict[str, str]:
    """The part of a first visit's address that says what is looked at."""
    opening = EXAMPLES[0]
    return Selection(ONLY_STREAM, opening.layer, opening.head, DEFAULT_SCALE, ()).address
