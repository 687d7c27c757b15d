"""What a browser says is looked at before it is kept: it may say anything."""

from __future__ import annotations

import pytest
import streamlit as st

from core.ui import picks

NONSENSE = [
    *(None, 3, "x", [], [1, 2], {}),
    *({"layer": layer, "head": 0} for layer in ("1", 1.5, True, -1, 10**30)),
    *({"query": "a", "key": []}, {"shown": [0, "x"]}, {"row": 0}, {"row": None, "col": 0}),
    *({"top_k": 0, "threshold": float("nan")}, {"threshold": 2}, {"threshold": True}),
    *({"direction": "up"}, {"direction": []}, {"order": {}}),
]


@pytest.fixture(autouse=True)
def _state():
    st.session_state.clear()
    yield
    st.session_state.clear()


@pytest.mark.parametrize("value", NONSENSE)
def test_nonsense_changes_nothing(value: object):
    for triggers in picks.TRIGGERS.values():
        for trigger in triggers.values():
            trigger(value)
    assert dict(st.session_state) == {}


def test_a_clicked_head_is_opened_and_ends_the_mean():
    picks.select({"layer": 2, "head": 7})
    assert (st.session_state.layer, st.session_state.head, st.session_state.mean) == (2, 7, False)


def test_only_what_changes_is_picked():
    picks.pick({"query": 3, "key": 4})
    picks.pick({"key": None})
    assert (st.session_state[picks.QUERY], st.session_state[picks.KEY]) == (3, None)


def test_lines_are_kept_in_order_and_without_doubles():
    picks.lines({"shown": [5, 0, 5], "top_k": 3, "threshold": 0.1})
    state = st.session_state
    assert (state[picks.SHOWN], state[picks.TOP], state[picks.LEAST]) == ((0, 5), 3, 0.1)
