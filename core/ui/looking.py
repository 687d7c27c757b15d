"""Which tokens are picked, which lines are drawn, and where the window of a long map lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.ui import picks
from core.ui.arrival import Arrival
from core.ui.picks import COL, DIRECTION, DIRECTIONS, KEY, LEAST, ORDER, ORDERS, QUERY, ROW, SHOWN, TOP
from core.ui.sidebar import Request
from core.views.head_view import THRESHOLD, TOP_KEYS

if TYPE_CHECKING:
    from core.capture import Trace

_PICKED_IN = "text_of_picks"


@dataclass(frozen=True)
class Looking:
    """What is picked.

    query, key              positions of tokens, None where none is picked
    shown                   heads that the head view draws; None: the one that is open, or all where it is their mean
    top_k, threshold        lines it draws at rest: so many of a query, none below this weight
    direction               of the text view: what the picked token attends "to", or where attention comes "from"
    order                   of the keys in the query-key view: by "position" or by "weight"
    """

    query: int | None = None
    key: int | None = None
    shown: tuple[int, ...] | None = None
    top_k: int = TOP_KEYS
    threshold: float = THRESHOLD
    direction: str = DIRECTIONS[0]
    order: str = ORDERS[0]

    @property
    def address(self) -> dict[str, str]:
        """The parameters that pick the same."""
        values = {
            "query": None if self.query is None else str(self.query),
            "key": None if self.key is None else str(self.key),
            "heads": None if self.shown is None else ",".join(map(str, self.shown)),
            "top": None if self.top_k == TOP_KEYS else str(self.top_k),
            "above": None if self.threshold == THRESHOLD else f"{self.threshold:g}",
            "direction": None if self.direction == DIRECTIONS[0] else self.direction,
            "order": None if self.order == ORDERS[0] else self.order,
        }
        return {name: value for name, value in values.items() if value is not None}

    def for_figures(self, open_heads: list[int]) -> dict[str, object]:
        """The same as the browser has it. open_heads: what the head view shows unless others were chosen."""
        return {
            "query": self.query,
            "key": self.key,
            "shown": open_heads if self.shown is None else list(self.shown),
            "top_k": self.top_k,
            "threshold": self.threshold,
            "direction": self.direction,
            "order": self.order,
        }


def looking_at(
    trace: Trace, stream: str, request: Request, arriving: Arrival | None
) -> tuple[Looking, tuple[int, int]]:
    """What is picked in this text, and where the window of a long map starts; layer and head are settled before."""
    state, task = st.session_state, request.task
    queries, keys = len(trace.queries(stream)), len(trace.keys(stream))
    heads = len(trace.groups(int(state.layer), stream))
    text = (task.model, task.text, task.text_pair, task.writing.target, stream)
    opening = request.opening.query if request.opening else None
    if queries == 1:
        opening = 0  # the one row of attention pooling: there is nothing to choose
    if arriving is not None:
        _arrive(arriving, queries, keys, heads, opening)
    elif state.get(_PICKED_IN) != text:
        state[QUERY], state[KEY], state[ROW], state[COL] = opening, None, 0, 0
        state[SHOWN] = None
    state[_PICKED_IN] = text
    # A text may be shorter than it was, and a layer have fewer heads.
    shown = state.get(SHOWN)
    if shown == (tuple(range(heads)) if state.mean else (int(state.head),)):
        shown = None
    looking = Looking(
        _below(state.get(QUERY), queries),
        _below(state.get(KEY), keys),
        None if shown is None else tuple(head for head in shown if head < heads),
        state.get(TOP, TOP_KEYS),
        state.get(LEAST, THRESHOLD),
        state.get(DIRECTION, DIRECTIONS[0]),
        state.get(ORDER, ORDERS[0]),
    )
    return looking, (_below(state.get(ROW), queries) or 0, _below(state.get(COL), keys) or 0)


def _arrive(arriving: Arrival, queries: int, keys: int, heads: int, opening: int | None) -> None:
    state = st.session_state
    bare = not any(name in arriving for name in ("layer", "head", "query", "key"))
    state[QUERY] = opening if bare else arriving.place("query", queries, "query")
    state[KEY] = arriving.place("key", keys, "key")
    state[ROW] = arriving.number("row", 0, queries - 1, 0, "The window's first row")
    state[COL] = arriving.number("col", 0, keys - 1, 0, "The window's first column")
    state[SHOWN] = arriving.heads("heads", heads)
    state[TOP] = arriving.number("top", 1, picks.LARGEST, TOP_KEYS, "The number of lines a query")
    state[LEAST] = arriving.real("above", 0, 1, THRESHOLD, "The least weight of a line")
    state[DIRECTION] = arriving.choice("direction", DIRECTIONS, DIRECTIONS[0], "direction")
    state[ORDER] = arriving.choice("order", ORDERS, ORDERS[0], "order of keys")


def _below(place: int | None, count: int) -> int | None:
    return place if place is not None and place < count else None
