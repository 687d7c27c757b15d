"""What is looked at: layer, head and colour scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.address import take
from core.ui.examples import EXAMPLES, Example
from core.views import SCALES

if TYPE_CHECKING:
    from core.capture import Trace

DEFAULT_SCALE = "sqrt"


@dataclass(frozen=True)
class Selection:
    """One head of a trace's first stream, and the scale it is drawn in.

    remarks: sentences on what an address, or the model before, asked for and this model does not have.
    """

    layer: int
    head: int
    scale: str
    remarks: tuple[str, ...]

    @property
    def address(self) -> dict[str, str]:
        """The parameters that reopen this view."""
        return {"layer": str(self.layer), "head": str(self.head), "scale": self.scale}


def open_head(layer: int, head: int) -> None:
    """Open a head; to be called before the controls are drawn, as callbacks are."""
    st.session_state.layer, st.session_state.head = layer, head


def selection_controls(trace: Trace, slot: DeltaGenerator, example: Example | None) -> Selection:
    """Draw the controls into a place of the sidebar, set to what an address asks for if somebody arrives by one.

    example: the example that is open, if one is; it decides what an address leaves open.
    """
    arriving = take("selection")
    stream, state = trace.streams[0], st.session_state
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
    return Selection(int(state.layer), int(state.head), str(scale), tuple(filter(None, remarks)))


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
    return Selection(opening.layer, opening.head, DEFAULT_SCALE, ()).address
