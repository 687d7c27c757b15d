"""What is looked at: layer, head and colour scale, in the sidebar and in the URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.words import note
from core.views import SCALES

if TYPE_CHECKING:
    from core.capture import Trace

DEFAULT_SCALE = "sqrt"


@dataclass(frozen=True)
class Selection:
    """One head of a trace's first stream, and the scale it is drawn in.

    corrections: a sentence for each part of a link that this model does not have.
    """

    layer: int
    head: int
    scale: str
    corrections: tuple[str, ...]


def select(layer: int, head: int) -> None:
    """Open a head; to be called before the controls are drawn, as callbacks are."""
    st.session_state.layer, st.session_state.head = layer, head


def selection_controls(trace: Trace, slot: DeltaGenerator) -> Selection:
    """Draw the controls into a place of the sidebar."""
    stream = trace.streams[0]
    counts = {"layer": trace.layers(stream), "head": trace.heads(stream)}
    corrections = tuple(filter(None, (_correct(key, count) for key, count in counts.items())))
    with slot:
        for column, (key, count) in zip(st.columns(2), counts.items(), strict=True):
            with column:
                _number(key, count)
        scale = st.segmented_control(
            "Colour scale",
            list(SCALES),
            default=DEFAULT_SCALE,
            key="scale",
            bind="query-params",
            persist_state="session",
            required=True,
            width="stretch",
        )
    layer, head = (int(st.session_state[key] or 0) for key in counts)
    return Selection(layer, head, scale or DEFAULT_SCALE, corrections)


def _number(key: str, count: int) -> None:
    """A number from 0 to count - 1, without a default of its own, so that 0 stays in the URL like any other."""
    try:
        st.number_input(
            key.capitalize(),
            0,
            count - 1,
            value=None,
            step=1,
            key=key,
            bind="query-params",
            persist_state="session",
        )
    except OverflowError:
        # Streamlit reads a link's number as a float, and one beyond all floats ends in this error.
        note(f"The link asks for a {key} beyond all numbers: take “{key}=” out of the address.", "error")
        st.stop()


def _correct(key: str, count: int) -> str | None:
    """Open number 0 where the link or an earlier model names one that is not there, and say so."""
    asked = st.session_state.get(key, st.query_params.get(key, 0))
    if str(asked) in map(str, range(count)):
        return None
    st.session_state[key] = 0
    if asked is None:
        return None
    return f"There is no {key} {str(asked)[:20]} in this model, which has 0 to {count - 1}: {key} 0 is shown."
