"""Mean attention by distance over what the scheme itself gives."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.errors import HeadlightError
from core.heads.distances import by_distance
from core.positions.schemes import SCHEMES
from core.positions.settings import Settings
from core.views import attention_by_distance_figure
from core.views.attention_by_distance_drawing import FLOOR, PALE
from core.views.position_words import About
from tests.views.plot_of import plot_of
from tests.views.traces import archive, random_trace, table

ABOUT = About("ALiBi", "tiny", "text: “x”", "model")
FOUND = by_distance(random_trace(6, causal=True), "self", 0)


def named(figure, name, axis="y"):
    return next(trace for trace in plot_of(figure).data if trace.name == name and trace.yaxis == axis)


def test_each_head_and_their_mean_are_drawn_against_uniform_rows():
    figure = attention_by_distance_figure(FOUND, ABOUT, 0)
    weights = FOUND.weights.numpy()
    assert list(named(figure, "head 1").y) == pytest.approx(weights[1].tolist())
    assert list(named(figure, "mean of 3 heads").y) == pytest.approx(weights.mean(0).tolist())
    assert list(named(figure, "uniform").y) == pytest.approx(FOUND.uniform.tolist())
    assert named(figure, "uniform").line.dash == "dash"
    assert list(named(figure, "head 0").customdata) == [1, 2, 3, 4, 5, 6]


def test_scores_lie_in_a_panel_under_the_weights():
    figure = attention_by_distance_figure(FOUND, ABOUT, 0, head=2)
    assert list(named(figure, "head 2", "y2").y) == pytest.approx(FOUND.scores[2].tolist())
    assert "strong: head 2 of 3" in figure.caption


def test_the_scheme_is_drawn_within_the_offsets_of_the_text():
    scheme = SCHEMES["alibi"].by_distance(Settings(heads=3, causal=True))
    figure = attention_by_distance_figure(FOUND, ABOUT, 0, 1, scheme, "ALiBi")
    own = named(figure, "head 1", "y3")
    assert list(own.x) == [-5, -4, -3, -2, -1, 0]
    assert list(own.y) == pytest.approx(scheme.values[1, -6:].tolist())
    assert "bias of ALiBi by itself" in figure.caption


def test_lines_break_at_weights_below_the_floor_which_are_counted():
    small = FOUND.weights.clone()
    small[0, [0, 2]] = 0
    small[1, 0] = FLOOR / 10
    found = type(FOUND)(FOUND.offsets, small, FOUND.uniform, FOUND.counts, None)
    figure = attention_by_distance_figure(found, ABOUT, 0)
    line = named(figure, "head 0")
    assert (line.y[0], line.y[2]) == (None, None)
    assert (list(line.marker.size), line.mode) == ([0, 4, 0, 0, 0, 0], "lines+markers")
    assert "lines break at 3 smaller means" in figure.caption
    assert table(figure.csv())["weight"][0] == 0


def test_the_heads_whose_weight_lies_nearest_are_named_and_the_others_are_pale():
    offsets = torch.arange(-4, 1)
    weights = torch.full((5, 5), 0.2)
    for head in range(3):
        weights[head] = torch.tensor([0.01, 0.01, 0.01, 0.1 * head, 1.0])
    counts = torch.ones(5, dtype=torch.int64)
    found = type(FOUND)(offsets, weights, torch.full((5,), 0.2), counts, None)
    figure = attention_by_distance_figure(found, ABOUT, 0)
    told = [note.text for note in plot_of(figure).layout.annotations if note.text.startswith("head ")]
    assert told == ["head 0", "head 1", "head 2"]
    assert named(figure, "head 3").line.color == named(figure, "head 4").line.color == PALE
    assert "mean distance in tokens: 0 (0.1)" in figure.caption


def test_unknown_scores_are_gaps():
    scores = FOUND.scores.clone()
    scores[:, 0] = np.nan
    figure = attention_by_distance_figure(
        type(FOUND)(FOUND.offsets, FOUND.weights, FOUND.uniform, FOUND.counts, scores), ABOUT, 0
    )
    assert named(figure, "mean of 3 heads", "y2").y[0] is None


def test_the_exports_hold_every_head_and_offset():
    figure = attention_by_distance_figure(FOUND, ABOUT, 0)
    rows = table(figure.csv())
    assert len(rows) == 18
    assert rows["pairs"].tolist()[:6] == [1, 2, 3, 4, 5, 6]
    assert np.array_equal(archive(figure.npz())["weights"], FOUND.weights.numpy())


def test_a_head_that_there_is_not_and_no_distance_are_refused():
    with pytest.raises(HeadlightError, match="no head 3"):
        attention_by_distance_figure(FOUND, ABOUT, 0, 3)
    none = torch.zeros(0)
    with pytest.raises(HeadlightError, match="longer text"):
        attention_by_distance_figure(type(FOUND)(none, torch.zeros(3, 0), none, none, None), ABOUT, 0)


def test_a_single_offset_is_a_point():
    one = by_distance(random_trace(1, causal=True), "self", 0)
    assert named(attention_by_distance_figure(one, ABOUT, 0), "head 0").mode == "lines+markers"
