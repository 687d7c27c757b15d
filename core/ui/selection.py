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
WANTED_STREAM = "wanted_stream"


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


def selection_controls(trace: Trace, slot: DeltaGenerator, opening: Example | None) -> Selection:
    """Draw the controls into a place of the sidebar, set to what an address asks for if somebody arrives by one.

    opening: the example whose head is opened where an address leaves that open; else head 0 of layer 0 is.
    """
    arriving, state = take("selection"), st.session_state
    with slot:
        stream, *remarks = _stream(trace, arriving)
    counts = {"layer": trace.layers(stream), "head": trace.heads(stream)}
    source = state if arriving is None else arriving
    remarks += [_settle(key, source.get(key, getattr(opening, key, 0)), count) for key, count in counts.items()]
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


def _stream(trace: Trace, arriving: Mapping[str, str] | None) -> tuple[str, str | None]:
    """The stream that is looked at, and a sentence if another was asked for; a model with only one is not asked."""
    streams = trace.streams
    wanted = st.session_state.get("stream", st.session_state.get(WANTED_STREAM))
    asked = wanted if arriving is None else arriving.get("stream")
    there = asked if asked in streams else streams[-1]
    remark = None
    if arriving is not None and asked not in (None, *streams):
        remark = f"There is no {str(asked)[:20]} stream in this model: {STREAM_WORDS[there]} is shown."
    if len(streams) == 1:
        return there, remark
    st.session_state.stream = there
    chosen = st.selectbox("Attention", streams, format_func=STREAM_WORDS.__getitem__, key="stream")
    # Kept apart from the menu, which goes away while a model with one stream is open.
    st.session_state[WANTED_STREAM] = chosen
    return str(chosen), remark


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
