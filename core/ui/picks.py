"""What was clicked in the figures: kept for the page, after a look at whether a browser may say so.

Everything here comes from the browser of whoever sits there, so nothing is believed: what has the wrong type or lies
out of range is passed over, and what a model or a text does not have is settled where that is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

QUERY, KEY = "picked_query", "picked_key"
ROW, COL = "window_row", "window_col"
SHOWN, TOP, LEAST = "shown_heads", "lines_a_query", "least_weight"
DIRECTION, ORDER = "reading_direction", "key_order"
WORDS, SPECIAL = "merge_words", "special_tokens"
DIRECTIONS = ("to", "from")
ORDERS = ("position", "weight")
LARGEST = 10**6


def open_head(layer: int, head: int) -> None:
    """Open one head; to be called before the controls are drawn, as callbacks are."""
    st.session_state.layer, st.session_state.head, st.session_state.mean = layer, head, False
    follow_head()


def follow_head() -> None:
    """Let the head view show the head that is open, not those chosen before."""
    st.session_state[SHOWN] = None


def select(value: Any) -> None:
    """A head was clicked: {layer, head}."""
    found = _dict(value)
    layer, head = _number(found.get("layer")), _number(found.get("head"))
    if layer is not None and head is not None:
        open_head(layer, head)


def pick(value: Any) -> None:
    """Tokens were clicked: {query, key}, positions, None where nothing is picked, absent where nothing changed."""
    found = _dict(value)
    for name, state in (("query", QUERY), ("key", KEY)):
        if name in found and (found[name] is None or _number(found[name]) is not None):
            st.session_state[state] = found[name]


def window(value: Any) -> None:
    """The window of a long map was moved: {row, col}, positions of its first tokens."""
    found = _dict(value)
    row, col = _number(found.get("row")), _number(found.get("col"))
    if row is not None and col is not None:
        st.session_state[ROW], st.session_state[COL] = row, col


def lines(value: Any) -> None:
    """The head view's choice of lines: {shown, top_k, threshold}."""
    found = _dict(value)
    shown, top, least = found.get("shown"), _number(found.get("top_k")), found.get("threshold")
    if isinstance(shown, list) and len(shown) <= LARGEST and all(_number(head) is not None for head in shown):
        st.session_state[SHOWN] = tuple(sorted(set(shown)))
    if top:
        st.session_state[TOP] = top
    if isinstance(least, int | float) and not isinstance(least, bool) and 0 <= least <= 1:
        st.session_state[LEAST] = float(least)


def read(value: Any) -> None:
    """The direction in which the text is read: {direction}."""
    if (direction := _dict(value).get("direction")) in DIRECTIONS:
        st.session_state[DIRECTION] = direction


def order(value: Any) -> None:
    """The order of the keys in the query-key view: {order}."""
    if (wanted := _dict(value).get("order")) in ORDERS:
        st.session_state[ORDER] = wanted


# What each figure tells, by its name.
TRIGGERS: dict[str, dict[str, Callable[[Any], None]]] = {
    "overview": {"select": select},
    "heatmap": {"pick": pick},
    "whole": {"window": window},
    "headview": {"pick": pick, "lines": lines},
    "text": {"pick": pick, "read": read},
    "querykey": {"pick": pick, "order": order},
    "headmap": {"select": select},
}


def _dict(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST else None
