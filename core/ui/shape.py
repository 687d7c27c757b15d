"""What the controls must know of a run: its streams, layers and heads; kept, so that a failed run leaves them there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from core.capture import Trace

_LAST = "shape_of_last_run"


@dataclass(frozen=True)
class Shape:
    """heads: of each layer, by stream. special: whether a stream's tokens include special ones, by stream."""

    heads: dict[str, tuple[int, ...]]
    special: dict[str, bool]

    @property
    def streams(self) -> tuple[str, ...]:
        return tuple(self.heads)


def shape_of(trace: Trace) -> Shape:
    """The shape of a run, remembered as the last one of this browser session."""
    sides = {stream: (trace.queries(stream), trace.keys(stream)) for stream in trace.streams}
    shape = Shape(
        {s: tuple(len(trace.groups(layer, s)) for layer in range(trace.layers(s))) for s in trace.streams},
        {stream: any(any(tokens.special) for tokens in both) for stream, both in sides.items()},
    )
    st.session_state[_LAST] = shape
    return shape


def last_shape() -> Shape | None:
    """The shape of the last run that succeeded."""
    last: Shape | None = st.session_state.get(_LAST)
    return last
