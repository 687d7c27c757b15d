"""Wavelengths on a log axis: which pairs never turned once in training, before and after a scaling."""

from __future__ import annotations

import math

import pytest
import torch

from core.positions.schemes import SCHEMES
from core.positions.settings import Settings
from core.views import wavelengths_figure
from core.views.head_family import CHOSEN
from core.views.position_words import About
from core.views.wavelengths_view import decade_ticks
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

ABOUT = About("Rotary", "formula", "width 64, base 10,000", "rotary")
ROTARY = SCHEMES["rotary"]


def test_the_sinusoids_of_width_64_turn_in_6_to_47117_positions():
    figure = wavelengths_figure(ABOUT, SCHEMES["sinusoidal"].frequencies(Settings()), 2048)
    (line,) = plot_of(figure).data
    assert (line.y[0], line.y[1], line.y[-1]) == pytest.approx((2 * math.pi, 8.378762, 47117.24), rel=1e-6)
    assert plot_of(figure).layout.yaxis.type == "log"
    assert "wavelengths from 6.28 to 47,117 positions" in figure.caption


def test_pairs_that_never_turned_are_counted_in_figure_and_caption_and_marked():
    figure = wavelengths_figure(ABOUT, ROTARY.frequencies(Settings()), 2048)
    (line,) = plot_of(figure).data
    assert [colour == CHOSEN for colour in line.marker.color] == [wave > 2048 for wave in line.y]
    count = sum(wave > 2048 for wave in line.y)
    assert f"{count} of 32 pairs ({100 * count / 32:.0f} %) never completed a turn" in figure.caption
    assert any(f"{count} of 32" in text.text for text in plot_of(figure).layout.annotations)


def test_a_scaling_is_drawn_beside_what_it_started_from():
    turned = ROTARY.thing(Settings(scaling="linear", factor=4.0))
    figure = wavelengths_figure(ABOUT, turned.frequencies, 2048, turned.plain, "Linear <b>$x$", 4.0)
    before, after = plot_of(figure).data
    assert [a / b for a, b in zip(after.y, before.y, strict=True)] == pytest.approx([4] * 32)
    assert before.line.dash == "dash"
    told = "at 4 × 2,048 positions 0 of 32 pairs reach angles that training never showed; without scaling 11"
    assert told in figure.caption
    assert CHOSEN not in after.marker.color
    assert any("<b>0 of 32</b> pairs reach angles" in text.text for text in plot_of(figure).layout.annotations)
    assert sum(table(figure.csv())["completed_a_turn"]) == 32 - 11
    assert any("Linear &lt;b&gt;" in text.text for text in plot_of(figure).layout.annotations)
    assert archive(figure.npz())["wavelengths_before_scaling"] == pytest.approx(list(before.y))


def test_pairs_that_are_not_turned_are_gaps_and_said():
    figure = wavelengths_figure(ABOUT, torch.tensor([1.0, 0.0]).double(), 16)
    assert plot_of(figure).data[0].y[1] is None
    assert "1 of 2 pairs are not turned at all" in figure.caption
    assert "1 of 2 pairs (50 %) never" in figure.caption
    assert table(figure.csv())["completed_a_turn"].tolist() == [True, False]


def test_without_a_training_length_nothing_is_counted():
    figure = wavelengths_figure(ABOUT, ROTARY.frequencies(Settings()))
    assert "never" not in figure.caption
    assert not plot_of(figure).layout.shapes


def test_decades_are_few_and_written_short():
    assert decade_ticks(0.5, 3.2) == ([1, 2, 3], ["10", "100", "1,000"])
    powers, texts = decade_ticks(0, 13)
    assert len(powers) <= 7
    assert texts[-1] == "10¹²"
    assert decade_ticks(-5, -2)[1] == ["10⁻⁵", "10⁻⁴", "0.001", "0.01"]
