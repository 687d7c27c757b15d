"""Which stream, layer and head of a model are looked at: controls that depend on the open model."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.ui.positions.state import HEAD, LAYER, ROWS, STREAM
from core.ui.positions.wish import STREAMS as ALL_STREAMS
from core.ui.positions.wish import Wish
from core.ui.words import note

STREAMS = {"self": "Self-attention", "encoder": "Encoder", "decoder": "Decoder", "cross": "Cross-attention"}
FIRST_STREAM = ALL_STREAMS[0]
# In the menu of heads, where nothing would be no choice.
_MEAN = -1
NOT_THERE = "There is no {what} {asked:,} here, only {those}: {last:,} is shown."
NO_STREAM = "There is no attention of the {asked} here: that of the {first} is shown."
NO_ROWS = "Positions are 1 to {most:,} here, not {asked:,}: {rows:,} are shown."
# Positions of a model that are shown at first.
USUAL_ROWS = 512
ROWS_HELP = "How many positions are shown, from the first on, up to all that the model has."


def there(asked: int, count: int, what: str, kept: str) -> int:
    """A number below `count`; where it is not, the last, with a sentence, and that one is `kept` from now on."""
    if asked < count:
        return asked
    last = count - 1
    those = f"0 to {last:,}" if last else "0"
    note(NOT_THERE.format(what=what, asked=asked, those=those, last=last), "warning")
    st.session_state[kept] = last
    return last


def choose_stream(streams: Sequence[str]) -> str:
    """One of the streams; no control where there is one only."""
    state = st.session_state
    if state[STREAM] not in streams:
        # The first of all is no choice of anybody.
        if state[STREAM] != FIRST_STREAM:
            note(NO_STREAM.format(asked=STREAMS[state[STREAM]].lower(), first=STREAMS[streams[0]].lower()), "warning")
        state[STREAM] = streams[0]
    if len(streams) > 1:
        st.segmented_control(
            "Attention of the",
            streams,
            format_func=lambda stream: STREAMS.get(stream, stream),
            key=STREAM,
            persist_state="session",
            required=True,
            width="stretch",
        )
    return str(state[STREAM])


def choose_layer(layers: int, wish: Wish) -> int:
    """A layer; no control where there is one only."""
    layer = there(wish.layer, layers, "layer", LAYER)
    if layers < 2:
        return layer
    key, state = f"positions_layer_of_{layers}", st.session_state
    state[key] = layer
    st.slider("Layer", 0, layers - 1, key=key, on_change=lambda: state.update({LAYER: state[key]}))
    return int(state[key])


def choose_head(heads: int, wish: Wish) -> int | None:
    """A head, or None for the mean."""
    head = None if wish.head is None else there(wish.head, heads, "head", HEAD)
    key, state = f"positions_which_of_{heads}", st.session_state
    state[key] = _MEAN if head is None else head
    st.selectbox(
        "Head",
        range(_MEAN, heads),
        format_func=lambda number: "Mean over heads" if number == _MEAN else f"Head {number}",
        key=key,
        on_change=lambda: state.update({HEAD: None if state[key] == _MEAN else state[key]}),
    )
    return head


def choose_one_head(heads: int, chosen: int | None, kept: str = HEAD, label: str = "Head") -> int:
    """A head, where their mean means nothing; no control where there is one only. kept: where the choice is kept."""
    head = there(chosen or 0, heads, "head", kept)
    if heads < 2:
        return head
    key, state = f"{kept}_one_of_{heads}", st.session_state
    state[key] = head
    st.slider(label, 0, heads - 1, key=key, on_change=lambda: state.update({kept: state[key]}))
    return head


def choose_rows(most: int, wish: Wish) -> int:
    """How many positions of a model are shown, from the first on: all, up to USUAL_ROWS, until somebody says more."""
    rows = min(most, max(1, wish.rows or min(most, USUAL_ROWS)))
    if wish.rows is not None and wish.rows != rows:
        note(NO_ROWS.format(asked=wish.rows, most=most, rows=rows), "warning")
        st.session_state[ROWS] = rows
    if most < 2:
        return rows
    key, state = f"positions_rows_of_{most}", st.session_state
    state[key] = rows
    st.slider("Positions", 1, most, key=key, on_change=lambda: state.update({ROWS: state[key]}), help=ROWS_HELP)
    return rows
