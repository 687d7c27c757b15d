"""The notebook's heatmap: every row kept, every label letter for letter, exact weights whatever the scale."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import plotly.io
import pytest

import core.views
from core.heads import Filters, survey
from core.views import View, head_map_figure, heatmap
from core.views.plotly import RAMP, escaped
from core.views.scales import SCALES
from tests.views.ramp import light_ramp
from tests.views.traces import archive, plain_tokens, random_trace, table, trace_of


def test_repeated_labels_keep_their_rows_and_weights_are_exact(trace):
    figure = heatmap(trace, 2, 8)
    cells, count = figure.data[0], len(trace.tokens)
    assert list(cells.x) == list(cells.y) == list(range(count))
    np.testing.assert_array_equal(cells.customdata[..., 0], trace.attention(2, [8])[0])
    assert tuple(figure.layout.yaxis.tickvals) == tuple(range(count))
    assert tuple(map(unescape, figure.layout.yaxis.ticktext)) == trace.tokens.labels
    assert figure.layout.yaxis.ticktext.count("and") == 2


@pytest.mark.parametrize("scale", SCALES)
def test_colours_follow_the_scale_and_ticks_are_true_weights(trace, scale: str):
    figure = heatmap(trace, 2, 8, scale=scale, span="one")
    weights = trace.attention(2, [8])[0].numpy()
    np.testing.assert_allclose(figure.data[0].z, SCALES[scale].place(weights), atol=1e-6)
    ticks = dict(zip(figure.data[0].colorbar.tickvals, figure.data[0].colorbar.ticktext, strict=True))
    assert ticks[1.0] == "1"
    assert ticks[0.5] == {"linear": "0.5", "sqrt": "0.25", "log": "0.01"}[scale]


def test_spans_change_the_colours_and_never_the_weights(trace, surveyed):
    weights = trace.attention(2, [8])[0].numpy()
    tops = {"head": weights.max(), "row": weights.max(1, keepdims=True), "all": surveyed.top, "one": 1}
    for span, top in tops.items():
        cells = heatmap(trace, 2, 8, scale="linear", span=span).data[0]
        np.testing.assert_allclose(cells.z, weights / top, rtol=1e-5)
        np.testing.assert_array_equal(cells.customdata[..., 0], weights)


def test_masked_cells_are_gaps_and_said_to_be_grey():
    figure = heatmap(random_trace(5, causal=True), 1, 0)
    np.testing.assert_array_equal(np.isnan(figure.data[0].z), np.triu(np.ones((5, 5), bool), 1))
    assert "masked cells grey" in unescape(figure.layout.annotations[0].text.replace("<br>", " "))


def test_no_label_is_read_as_html_or_latex(minilm):
    trace = minilm.run("<s> &lt; <b>x</b> $x$")
    text = heatmap(trace, 0, 0).to_json()
    labels = json.loads(text)["layout"]["xaxis"]["ticktext"]
    assert not any(re.search(r"[<>$]|&(?!lt;|gt;|amp;|#36;)", label) for label in labels)
    assert tuple(map(unescape, labels)) == trace.tokens.labels
    assert unescape(escaped("<s>&lt;$")) == "<s>&lt;$"


def test_the_caption_and_filters_are_the_apps_own(trace):
    figure = heatmap(trace, 2, None, filters=Filters(words=True, special="renormalise"))
    words = unescape(figure.layout.annotations[0].text.replace("<br>", " "))
    for part in ("mean of 12 heads", "special tokens left out, rows renormalised", "tokens merged to words", "check"):
        assert part in words
    np.testing.assert_allclose(figure.data[0].customdata[..., 0].sum(1), 1, atol=1e-5)


def test_of_a_long_map_a_window_is_drawn_with_fewer_labels():
    figure = heatmap(random_trace(1100, causal=True, layers=1, heads=1), 0, 0, row=600, col=10)
    assert figure.data[0].z.shape == (512, 512)
    assert len(figure.layout.yaxis.ticktext) <= 160
    assert figure.data[0].customdata[0, 0, 1:].tolist() == [588, 10]


def test_the_ramp_is_that_of_the_browser():
    for index, colour in enumerate(RAMP):
        found = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(np.array(found) - light_ramp(index / 16)).max() <= 2


def test_between_its_stops_too():
    stops = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in RAMP])
    for place in np.linspace(0, 1, 255):
        between = [np.interp(place, np.linspace(0, 1, 17), stops[:, channel]) for channel in range(3)]
        assert np.abs(np.array(between) - light_ramp(place)).max() <= 4


def test_the_head_map_shows_every_head_where_its_measures_are(trace, surveyed):
    figure = head_map_figure(trace, surveyed, View("self", 2, 8))
    assert (figure.name, figure.component) == ("headmap", "plotly")
    drawn = plotly.io.from_json(figure.payload.decode())
    points, ringed = drawn.data
    place = [tuple(own) for own in points.customdata].index((2, 8))
    assert len(points.x) == 72
    assert points.x[place] == pytest.approx(float(surveyed.measures[2].distance[8]))
    assert points.y[place] == pytest.approx(float(surveyed.measures[2].entropy[8]))
    assert "layer 2, head 8" in points.hovertext[place]
    assert [tuple(own) for own in ringed.customdata] == [(2, 8)]
    assert (ringed.x[0], ringed.y[0]) == (points.x[place], points.y[place])
    assert ringed.marker.size > points.marker.size
    assert not points.cliponaxis
    assert (drawn.layout.yaxis.zeroline, drawn.layout.yaxis.layer) == (False, "below traces")
    assert figure.title == "Heads by distance and entropy"
    assert drawn.layout.xaxis.title.text == "mean distance to the attended tokens (tokens)"
    assert "those whose weight lies farther away" in figure.how_to
    assert "ringed: layer 2, head 8" in figure.caption
    assert len(table(figure.csv())) == 72
    assert archive(figure.npz())["entropy_nats"].shape == (6, 12)


def test_between_two_texts_the_head_map_shows_the_first_tokens_weight():
    trace = random_trace(5, causal=False)
    surveyed = survey(trace, "self")
    nan = float("nan")
    apart = replace(surveyed, measures=tuple(replace(m, uniform_distance=nan) for m in surveyed.measures))
    figure = head_map_figure(trace, apart, View("self", 0, None))
    points = plotly.io.from_json(figure.payload.decode())
    assert figure.title == "Heads by weight on the first token and entropy"
    assert points.layout.xaxis.title.text == "weight on the first token"
    assert points.data[0].x[0] == pytest.approx(float(surveyed.measures[0].first[0]))
    assert [tuple(own) for own in points.data[1].customdata] == [(0, 0), (0, 1), (0, 2)]


def test_the_ramp_test_reads_the_browsers_own_numbers():
    script = (Path(core.views.__file__).parent / "assets" / "colour.js").read_text("utf-8")
    for line in (
        "from: 0.985, to: 0.2,",
        "chroma: [0.006, 0.055, 0.11, 0.17, 0.205, 0.16, 0.08],",
        "hue: [286, 286, 284, 281, 278, 276, 274],",
    ):
        assert line in script


def test_a_trace_of_one_token_is_drawn():
    assert heatmap(trace_of(plain_tokens(1), causal=True), 0, 0).data[0].z.shape == (1, 1)
