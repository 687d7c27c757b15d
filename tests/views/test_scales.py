"""Colour scales keep the order of weights and say in words what they cover."""

from __future__ import annotations

import numpy as np
import pytest

from core.views.scales import SCALES, scale_words


@pytest.mark.parametrize("name", SCALES)
def test_a_scale_runs_from_zero_to_one_and_keeps_order(name: str):
    shares = np.linspace(0, 1, 1001)
    places = SCALES[name].place(shares)
    assert places[0] == 0
    assert places[-1] == 1
    assert np.all(np.diff(places) >= 0)


def test_known_places():
    share = np.array([0.01])
    assert SCALES["linear"].place(share) == pytest.approx(0.01)
    assert SCALES["sqrt"].place(share) == pytest.approx(0.1)
    assert SCALES["log"].place(share) == pytest.approx(0.5)
    assert SCALES["log"].place(np.array([1e-5])) == 0


def test_words():
    assert scale_words("sqrt", "0.5") == "square-root colour scale from 0 to 0.5"
    assert scale_words("log", "0.5") == "logarithmic colour scale over 4 decades up to 0.5"
