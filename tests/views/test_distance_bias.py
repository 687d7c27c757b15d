"""Bias by distance: a line a head, windows of slopes, steps of buckets."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.positions.objects import Bias
from core.positions.schemes import SCHEMES
from core.positions.settings import Settings
from core.views import bias_by_distance_figure
from core.views.distance_bias import tick_words
from core.views.head_family import CHOSEN, MOST_LINES
from core.views.position_words import About
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

ABOUT = About("ALiBi", "formula", "8 heads", "alibi")
ALIBI = SCHEMES["alibi"]
BUCKETS = SCHEMES["relative"].thing(Settings(length=160))


def lines_of(figure):
    return [trace for trace in plot_of(figure).data if trace.mode == "lines"]


def test_each_head_falls_by_its_slope():
    figure = bias_by_distance_figure(ALIBI.thing(Settings(causal=True)), ABOUT)
    first, *_, last = lines_of(figure)
    assert (first.y[-1], first.y[-2], last.y[-2]) == pytest.approx((0, -0.5, -0.00390625))
    assert (first.x[0], first.x[-1]) == (-127, 0)


def test_windows_are_where_the_bias_is_minus_ln_100():
    figure = bias_by_distance_figure(ALIBI.thing(Settings(causal=True)), ABOUT, head=0)
    (marks,) = [trace for trace in plot_of(figure).data if trace.mode == "markers"]
    assert marks.x[0] == pytest.approx(-math.log(100) / 0.5)
    assert list(marks.y) == pytest.approx([-math.log(100)] * len(marks.y))
    assert len(marks.x) == sum(math.log(100) * 2**head <= 127 for head in range(1, 9))
    assert "window (bias of −ln 100) of head 0: 9.2 positions" in figure.caption
    assert archive(figure.npz())["windows"][0] == pytest.approx(9.2103, rel=1e-4)


def test_both_sides_are_drawn_without_a_mask_and_the_chosen_head_is_strong():
    figure = bias_by_distance_figure(ALIBI.thing(Settings(causal=False)), ABOUT, head=2)
    *others, strong = lines_of(figure)
    assert (strong.x[0], strong.x[-1]) == (-127, 127)
    assert (strong.name, strong.line.color) == ("head 2", CHOSEN)
    assert all(other.line.width < strong.line.width for other in others)


def test_points_of_a_hundredth_lie_on_their_lines_on_both_sides():
    figure = bias_by_distance_figure(ALIBI.thing(Settings(causal=False)), ABOUT, head=0)
    (marks,) = [trace for trace in plot_of(figure).data if trace.mode == "markers"]
    lines = {line.name: line for line in lines_of(figure)}
    for head, x, y in zip(marks.customdata, marks.x, marks.y, strict=True):
        line = lines[f"head {head}"]
        assert np.interp(x, line.x, line.y) == pytest.approx(y, rel=1e-5)
    near, far = (side * math.log(100) / 0.5 for side in (-1, 2))
    assert all(any(x == pytest.approx(at) for x in marks.x) for at in (near, far))
    assert "head 0: 9.2 positions before the query, 18.4 positions after it" in figure.caption


def test_of_many_heads_the_first_the_last_and_the_chosen_are_among_those_drawn():
    figure = bias_by_distance_figure(ALIBI.thing(Settings(heads=112)), ABOUT, head=5)
    names = [line.name for line in lines_of(figure)]
    assert {"head 0", "head 5", "head 111"} <= set(names)
    assert len(names) <= MOST_LINES + 1
    assert f"{len(names)} of 112 heads drawn" in figure.caption
    assert table(figure.csv())["head"].nunique() == 112


def test_asked_heads_alone_are_drawn():
    figure = bias_by_distance_figure(ALIBI.thing(Settings()), ABOUT, heads=[1, 3, 99])
    assert [line.name for line in lines_of(figure)] == ["head 1", "head 3"]


def test_buckets_are_stairs_with_ticks_at_their_starts():
    figure = bias_by_distance_figure(BUCKETS, ABOUT)
    (stairs,) = plot_of(figure).data
    rows = dict(zip(stairs.x, stairs.y, strict=True))
    assert (rows[0], rows[1], rows[-1], rows[-91], rows[-159], rows[91]) == (0, 17, 1, 15, 15, 31)
    assert stairs.line.shape == "hvh"
    assert {-91, -8, 0, 12, 91} <= set(plot_of(figure).layout.xaxis.tickvals)
    assert "from 91 positions on a single one" in figure.caption
    assert table(figure.csv())["row"].tolist() == list(stairs.y)


def test_a_learned_table_is_drawn_in_steps():
    values = torch.arange(32.0)[BUCKETS.numbers.long()][None]
    figure = bias_by_distance_figure(Bias(values, False, BUCKETS.starts), ABOUT)
    (line,) = plot_of(figure).data
    assert line.line.shape == "hvh"
    assert line.y[159] == 0
    assert "windows" not in figure.caption


def test_labels_of_ticks_do_not_lie_over_each_other():
    assert tick_words([-16, -2, -1, 0, 1, 2, 16], 32) == ["−16", "", "", "0", "", "", "16"]
