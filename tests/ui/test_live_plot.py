"""A figure that changes is built behind the one that is seen, and comes to the front every other second."""

from __future__ import annotations

import pytest
import streamlit as st

from core.ui import live_plot
from core.views import Figure, curves_figure


@pytest.fixture(autouse=True)
def _state():
    st.session_state.clear()
    yield
    st.session_state.clear()


def figure() -> Figure:
    return curves_figure([])


def placed(one: Figure, what: object = 1, live: bool = True, late: bool = True):
    """Where a figure is put, long after the last one or at once."""
    places = live_plot.placed(one, what, live)
    if late:
        places = live_plot.Places(places.what, places.front, places.figures, places.drawn_at - 60)
    st.session_state[live_plot.STATE] = places
    return places


def test_a_newer_figure_goes_into_the_other_place_and_the_older_one_stays_as_it_is():
    first, second, third = figure(), figure(), figure()
    assert placed(first).figures == (first, None)
    assert placed(second).front == 1
    last = placed(third)
    assert last.front == 0
    assert last.figures[0] is third
    assert last.figures[1] is second


def test_what_comes_too_soon_waits():
    first, second = figure(), figure()
    placed(first, late=False)
    assert placed(second, late=False).figures[0] is first


def test_another_thing_and_the_end_take_the_first_place_at_once():
    first, second, third = figure(), figure(), figure()
    placed(first)
    placed(second)
    assert placed(third, what=2, late=False).figures == (third, None)
    last = placed(second, what=2, live=False)
    assert (last.front, last.figures) == (0, (second, None))
