"""Figures of positional schemes: the numbers drawn are the formula's, captions name sources, exports hold the cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.errors import HeadlightError
from core.positions.measures import effect
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table
from core.positions.sinusoidal import sinusoids
from core.views import (
    About,
    Figure,
    bias_by_distance_figure,
    position_curves_figure,
    position_decay_figure,
    position_matrix_figure,
    position_pair_figure,
    position_path_figure,
    position_similarity_figure,
    position_spectrum_figure,
)
from core.views.position_grid import every_pair, signed_colours, wrapped
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

ABOUT = About("Sinusoidal", "formula", "length 128, width 64", "scheme")
OTHER = About("<b>ALiBi</b>", "=model", "8 heads", "other")
SINUSOIDS = Table(sinusoids(torch.arange(128, dtype=torch.float64), 64).float())
FREQUENCIES = 10_000.0 ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64)
ROTATION = Rotation(FREQUENCIES, FREQUENCIES, 128, "half-split")
SLOPES = 2.0 ** -torch.arange(1.0, 9.0)
ALIBI = Bias(-SLOPES[:, None] * torch.arange(-200.0, 201.0).abs(), True, slopes=SLOPES)
BUCKETS = Buckets(torch.arange(-4, 5).clamp(-2, 2) + 2, (0, 1, 2), 5)


def cells(figure: Figure, place: int = 0) -> np.ndarray:
    return np.asarray(plot_of(figure).data[place].z)


def test_a_table_is_drawn_as_it_is():
    figure = position_matrix_figure(SINUSOIDS, ABOUT, 16)
    np.testing.assert_array_equal(cells(figure), SINUSOIDS.values[:16])
    assert figure.caption.startswith("Sinusoidal · formula · length 128, width 64 · ")
    assert plot_of(figure).layout.yaxis.range == (15.5, -0.5)
    assert (figure.name, len(table(figure.csv())["value"])) == ("scheme_matrix", 16 * 64)
    np.testing.assert_array_equal(archive(figure.npz())["values"], SINUSOIDS.values[:16])


def test_of_many_cells_single_ones_are_drawn_and_the_caption_says_so():
    values = sinusoids(torch.arange(1000, dtype=torch.float64), 768).float()
    figure = position_matrix_figure(Table(values), ABOUT, 1000)
    shown = cells(figure)
    assert shown.shape == (125, 128)
    np.testing.assert_array_equal(shown, values[::8][:, every_pair(768)])
    assert "one in 8 positions and one in 6 pairs of dimensions, one cell for 48, none averaged" in figure.caption
    np.testing.assert_array_equal(archive(figure.npz())["values"], values)


def test_of_many_pairs_of_positions_few_are_drawn_and_all_exported():
    figure = position_matrix_figure(ALIBI, OTHER, 200, head=2)
    assert cells(figure).shape == (100, 100)
    assert "one in 2 positions, one cell for 4, none averaged; exports hold all" in figure.caption
    assert len(table(figure.csv())["query_position"]) == 200 * 201 // 2
    cosines = position_similarity_figure(SINUSOIDS, ABOUT, "cosine", 128)
    assert archive(cosines.npz())["values"].shape == (128, 128)
    pair = position_pair_figure((ABOUT, ALIBI), (OTHER, ALIBI), 200)
    assert archive(pair.npz())["effects"].shape == (2, 200, 200)


def test_no_figure_that_a_slider_drives_makes_plotly_measure_its_labels():
    for figure in (
        position_matrix_figure(SINUSOIDS, ABOUT, 16),
        position_curves_figure(SINUSOIDS, ABOUT, 16, (0, 1)),
        position_similarity_figure(SINUSOIDS, ABOUT, "dot", 16),
        position_pair_figure((ABOUT, SINUSOIDS), (OTHER, ALIBI), 16),
        position_decay_figure([(ABOUT, effect(SINUSOIDS, 10))], 10),
    ):
        layout = plot_of(figure).layout
        axes = [layout[name] for name in layout if name.startswith(("xaxis", "yaxis"))]
        assert not layout.margin.autoexpand
        assert {(axis.automargin, axis.ticklabeloverflow, axis.tickangle) for axis in axes} == {(False, "allow", 0)}


def test_angles_are_wrapped_with_half_a_turn_as_plus_pi():
    np.testing.assert_allclose(
        wrapped(np.array([0, np.pi, -np.pi, 3.5, 7])), [0, np.pi, np.pi, 3.5 - 2 * np.pi, 7 - 2 * np.pi]
    )
    figure = position_matrix_figure(ROTATION, ABOUT, 20)
    angles = np.arange(20)[:, None] * FREQUENCIES.numpy()
    np.testing.assert_allclose(np.exp(1j * cells(figure)), np.exp(1j * angles), atol=1e-6)
    assert "64 of 128 coordinates not turned" in figure.caption


def test_a_bias_stands_at_query_and_key_and_masked_cells_are_empty():
    shown = cells(position_matrix_figure(ALIBI, OTHER, 12, head=2))
    assert (shown[7, 3], shown[5, 5]) == (-4 * 0.125, 0)
    assert np.isnan(shown[3, 7])
    with pytest.raises(HeadlightError, match="from 0 to 7"):
        position_matrix_figure(ALIBI, OTHER, 12, head=8)


def test_far_offsets_read_the_last_bucket():
    shown = cells(position_matrix_figure(BUCKETS, ABOUT, 10))
    assert (shown[0, 9], shown[9, 0], shown[4, 4]) == (4, 0, 2)


def test_a_bias_of_which_far_offsets_are_not_held_is_left_empty_there():
    figure = position_matrix_figure(Bias(torch.zeros(1, 5), False), ABOUT, 6)
    assert np.isnan(cells(figure)[0, 3])
    assert "offsets beyond 2 not held" in figure.caption


def test_vectors_of_offsets_are_drawn_by_row():
    assert cells(position_matrix_figure(OffsetVectors(torch.ones(5, 8), BUCKETS), ABOUT, 10)).shape == (5, 8)


def test_curves_are_columns_of_the_table_and_unknown_dimensions_are_left_out():
    figure = position_curves_figure(SINUSOIDS, ABOUT, 32, (0, 5, 99))
    lines = plot_of(figure).data
    assert len(lines) == 2
    np.testing.assert_array_equal(np.asarray(lines[1].customdata), SINUSOIDS.values[:32, 5])
    np.testing.assert_allclose(np.asarray(lines[1].y), 1 - 0.4 * SINUSOIDS.values[:32, 5].numpy(), rtol=1e-5)
    assert plot_of(figure).layout.yaxis.ticktext == ("0", "5")
    np.testing.assert_allclose(table(figure.csv())["dimension_0"], np.sin(np.arange(32)), atol=1e-6)
    with pytest.raises(HeadlightError, match="64 dimensions"):
        position_curves_figure(SINUSOIDS, ABOUT, 32, (99,))
    with pytest.raises(HeadlightError, match="no dimensions"):
        position_curves_figure(ALIBI, ABOUT, 32, (0,))


def test_a_table_with_all_sines_first_is_called_so():
    sines, cosines = SINUSOIDS.values[:, 0::2], SINUSOIDS.values[:, 1::2]
    apart = Table(torch.cat([sines, cosines], 1), frequencies=FREQUENCIES, halves=True)
    words = position_curves_figure(apart, ABOUT, 32, (0, 1, 32))
    assert "dimensions 0 (sine), 1 (sine), 32 (cosine) of 64" in words.caption
    assert "dimensions 0 (sine), 1 (cosine)" in position_curves_figure(SINUSOIDS, ABOUT, 32, (0, 1)).caption
    for figure in (words, position_matrix_figure(apart, ABOUT, 32)):
        assert "half" in figure.how_to
        assert "in turn" not in figure.how_to
        assert "even" not in figure.how_to


def test_no_line_is_drawn_where_an_angle_starts_over():
    line = plot_of(position_curves_figure(ROTATION, ABOUT, 10, (0,))).data[0]
    assert np.isnan(np.asarray(line.y)[4])
    assert len(np.asarray(line.y)) == 11


def test_dot_products_are_sums_of_cosines_and_toeplitz():
    figure = position_similarity_figure(SINUSOIDS, ABOUT, "dot", 64)
    shown = cells(figure)
    assert shown[0, 0] == pytest.approx(32)
    np.testing.assert_allclose(shown[1:, 1:], shown[:-1, :-1], atol=1e-4)
    assert "Toeplitz" in figure.how_to
    assert cells(position_similarity_figure(SINUSOIDS, ABOUT, "cosine", 64))[0, 1] == pytest.approx(0.966, abs=5e-4)
    with pytest.raises(HeadlightError, match="dot, cosine"):
        position_similarity_figure(SINUSOIDS, ABOUT, "other", 64)


def test_decay_has_both_sides_unless_all_look_back():
    both = position_decay_figure([(ABOUT, effect(SINUSOIDS, 20)), (OTHER, effect(ALIBI, 20, 2))], 20)
    one, other = plot_of(both).data
    assert (len(np.asarray(one.x)), len(np.asarray(other.x))) == (41, 21)
    assert np.asarray(other.y)[0] == pytest.approx(math.exp(-20 * 0.125))
    assert "&lt;b&gt;" in other.name
    assert "keys after the query masked" in position_decay_figure([(OTHER, effect(ALIBI, 20, 2))], 20).caption
    assert "'=model" in set(table(both.csv())["source"])


def test_a_band_is_drawn_where_positions_differ():
    learned = Table(torch.randn(30, 8, generator=torch.Generator().manual_seed(0)), learned=True)
    figure = position_decay_figure([(ABOUT, effect(learned, 10))], 10)
    assert len(plot_of(figure).data) == 3
    assert {"smallest_1", "largest_1"} <= set(archive(figure.npz()))


def test_the_path_has_three_panels_on_one_scale_and_names_its_ends():
    plot = plot_of(position_path_figure(SINUSOIDS, ABOUT))
    assert len(plot.data) == 3
    heights = [np.ptp(plot.layout[name].range) for name in ("yaxis", "yaxis2", "yaxis3")]
    assert heights == pytest.approx([heights[0]] * 3)
    assert plot.layout.yaxis2.scaleanchor == "x2"
    ends = [note.text for note in plot.layout.annotations if note.text.startswith("<b>")]
    assert ends == ["<b>0</b>", "<b>127</b>"] * 3


def test_a_row_far_from_all_others_is_left_out_of_the_path_and_told():
    values = SINUSOIDS.values.clone()
    values[0] = 100.0
    figure = position_path_figure(Table(values, learned=True), ABOUT)
    assert list(plot_of(figure).data[0].customdata[:2]) == [1, 2]
    assert "left out of components and picture: position 0 (" in figure.caption
    rows = table(figure.csv())
    assert (len(rows["pc1"]), rows["left_out"].tolist().index(True)) == (128, 0)
    assert archive(figure.npz())["left_out"].tolist() == [0]


def test_the_spectrum_of_one_wave_is_one_peak():
    wave = torch.sin(2 * math.pi * 4 * torch.arange(64.0) / 64)[:, None]
    line = plot_of(position_spectrum_figure(Table(wave), ABOUT)).data[0]
    assert np.asarray(line.x)[np.asarray(line.y).argmax()] == pytest.approx(4 / 64)
    assert np.asarray(line.y).max() == pytest.approx(1)


def test_a_pair_shares_its_colours_and_a_short_table_ends():
    short = Table(SINUSOIDS.values[:6], learned=True)
    figure = position_pair_figure((ABOUT, short), (OTHER, ALIBI), 10, heads=(0, 2))
    left, right = cells(figure, 0), cells(figure, 1)
    assert left[0, 0] == pytest.approx(1)
    assert np.isnan(left[7, 0])
    assert right[9, 1] == pytest.approx(math.exp(-1))
    assert np.isnan(right[1, 9])
    assert "ends after 6 positions" in figure.caption
    assert {trace.coloraxis for trace in plot_of(figure).data} == {"coloraxis"}
    with pytest.raises(HeadlightError):
        position_pair_figure((ABOUT, SINUSOIDS), (OTHER, BUCKETS), 10)


def test_maps_of_positions_by_positions_are_square_and_others_fill_their_card():
    square = (position_similarity_figure(SINUSOIDS, ABOUT, "dot", 16), position_matrix_figure(ALIBI, OTHER, 16))
    pair = plot_of(position_pair_figure((ABOUT, SINUSOIDS), (OTHER, ALIBI), 16)).layout
    for axis in (*(plot_of(figure).layout.yaxis for figure in square), pair.yaxis, pair.yaxis2):
        assert (axis.scaleanchor, axis.constrain) == (f"x{'2' if axis is pair.yaxis2 else ''}", "domain")
    for thing in (SINUSOIDS, ROTATION, OffsetVectors(torch.ones(5, 8), BUCKETS)):
        assert plot_of(position_matrix_figure(thing, ABOUT, 16)).layout.yaxis.scaleanchor is None


def test_files_of_different_scalings_have_different_names():
    settings = "positions 128, width 64, base 10,000, pairs interleaved, scaling {}, factor {}, trained on 2,048"
    kinds = [("yarn", 4), ("yarn", 8), ("llama 3", 4), ("linear interpolation", 8)]
    abouts = [About("Rotary (RoPE)", "formula", settings.format(*kind), "scheme") for kind in kinds]
    assert len({position_matrix_figure(ROTATION, about, 8).stem for about in abouts}) == len(kinds)


def test_no_zero_of_a_table_has_a_minus():
    figures = (position_matrix_figure(ALIBI, OTHER, 4), bias_by_distance_figure(ALIBI, OTHER))
    fields = [
        field for figure in figures for field in figure.csv().decode().replace("\r", "").replace("\n", ",").split(",")
    ]
    assert "0.0" in fields
    assert "-0.0" not in fields


def test_the_colour_bar_is_a_picture_with_its_ticks_at_their_heights():
    plot = plot_of(position_matrix_figure(SINUSOIDS, ABOUT, 16))
    (picture,) = plot.layout.images
    assert (plot.data[0].showscale, picture.xref, picture.source[:18]) == (False, "x domain", "data:image/svg+xml")
    heights = {note.text: note.y for note in plot.layout.annotations if note.x == 1}
    assert heights == {"1": 1, "0.5": 0.75, "0": 0.5, "−0.5": 0.25, "−1": 0, "value": 0.5}


def test_a_pair_says_what_each_side_is():
    unlike = position_pair_figure((ABOUT, SINUSOIDS), (OTHER, ALIBI), 10, heads=(0, 2))
    assert "left: cosine of two rows" in unlike.caption
    assert "right: e to what head 2 adds" in unlike.caption
    assert "compare shapes, not numbers" in unlike.how_to
    alike = position_pair_figure((ABOUT, ALIBI), (OTHER, ALIBI), 10)
    assert "compare shapes" not in alike.how_to
    assert any(note.text == "similarity, or e^bias" for note in plot_of(unlike).layout.annotations)


def test_colours_are_symmetric_around_zero_unless_there_is_one_sign():
    two, one, none = (signed_colours(np.array(each), "x") for each in ([-1.0, 3.0], [-2.0, 0.0], [0.0]))
    assert (two.low, two.high, one.low, one.high, none.low, none.high) == (-3, 3, -2, 0, 0, 1)
