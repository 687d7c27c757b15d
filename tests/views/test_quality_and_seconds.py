"""Quality and seconds by source length: every model its own look, few sentences hollow, exact numbers exported."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.io
import pytest

from core.views import Figure, QualityCurve, quality_bins, quality_figure, seconds_figure
from core.views.model_lines import LOOKS, look_of
from core.views.runs import stem_of
from core.views.seconds import duration_words
from tests.views.traces import archive, table

TOLD = [
    {"words": [6, 10], "sentences": 100, "bleu": 30.5, "chrf": 52.25},
    {"words": [1, 5], "sentences": 40, "bleu": 41.0, "chrf": 60.0},
    {"words": [11, 15], "sentences": 9, "bleu": None, "chrf": 45.0},
    {"words": [16, 20], "sentences": 0, "bleu": None, "chrf": None},
]
CURVES = [QualityCurve("with <b>attention</b>", quality_bins(TOLD)), QualityCurve("=without", quality_bins(TOLD[:2]))]


@dataclass(frozen=True)
class Timed:
    model: str
    length: int
    encode_seconds: float
    forced_seconds: float
    decode_seconds: float
    tokens: int


TIMINGS = [
    Timed("gru", 16, 0.016, 0.02, 0.032, 16),
    Timed("gru", 8, 0.008, 0.01, 0.016, 8),
    Timed("transformer", 8, 0.002, 0.0, 0.08, 8),
]


def drawn(figure: Figure):
    return plotly.io.from_json(figure.payload.decode())


def test_bins_rise_and_empty_ones_are_left_out():
    bins = quality_bins(TOLD)
    assert [each.span for each in bins] == [(1, 5), (6, 10), (11, 15)]
    assert math.isnan(bins[-1].bleu)


def test_what_is_no_range_of_lengths_is_left_out():
    assert quality_bins("abc") == ()
    assert quality_bins([1, {"words": [1]}, {**TOLD[0], "words": [1]}, {**TOLD[0], "chrf": "x"}, TOLD[0]])[0].low == 6


def test_file_names_end_with_a_word_and_fit_into_a_folder():
    about = "Chinese → English: held-out sentences of its card"
    label = "a model, whose name goes on for a while, and is cut before its last word"
    cut = "a-model-whose-name-goes-on-for-a-while-and-is-cut-before-its"
    assert stem_of("quality", (about, label)) == f"quality_Chinese-English-held-out-sentences-of-its-card_{cut}"
    assert stem_of("quality", ("猫" * 30,)) == f"quality_{'猫' * 20}"
    assert len(stem_of("quality", ["猫" * 30] * 5).encode()) <= 220


def test_each_model_has_its_scores_its_look_and_its_counts():
    plot = drawn(quality_figure(CURVES))
    bleu, chrf, other = plot.data[:3]
    assert (list(bleu.x), list(bleu.y), list(chrf.y)) == ([0, 1, 2], [41.0, 30.5, None], [60.0, 52.25, 45.0])
    assert list(chrf.customdata[2]) == ["11 to 15 words", 9]
    assert (other.line.color, other.line.dash, other.marker.symbol[0]) == (LOOKS[1].colour, "dash", "square")
    assert bleu.name == "with &lt;b&gt;attention&lt;/b&gt;"


def test_a_range_of_fewer_than_ten_sentences_is_hollow():
    assert drawn(quality_figure(CURVES)).data[1].marker.symbol == ("circle", "circle", "circle-open")
    assert "hollow: fewer than 10 sentences" in quality_figure(CURVES).caption
    assert "hollow" not in quality_figure(CURVES[1:]).caption
    assert "140 sentences" in quality_figure(CURVES[1:]).caption


def test_the_exports_of_quality_hold_the_counts():
    figure = quality_figure(CURVES, "English to French")
    rows = table(figure.csv())
    assert rows["sentences"].tolist() == [40, 100, 9, 40, 100]
    assert rows["model"].tolist()[-1] == "'=without"
    arrays = archive(figure.npz())
    assert arrays["words_1"].tolist() == [[1, 5], [6, 10], [11, 15]]
    assert arrays["chrf_2"].tolist() == [60.0, 52.25]


def test_every_model_of_twelve_looks_different():
    assert len({(look.colour, look.dash, look.symbol) for look in map(look_of, range(12))}) == 12
    assert len({look.dash for look in LOOKS}) == len({look.symbol for look in LOOKS}) == len(LOOKS)


def test_seconds_are_drawn_by_rising_length_on_logarithmic_axes():
    plot = drawn(seconds_figure(TIMINGS))
    read, forced, written, *others = plot.data
    assert (list(read.x), list(read.y)) == ([8, 16], [0.008, 0.016])
    assert list(forced.y) == [0.01, 0.02]
    assert list(written.y) == [0.016, 0.032]
    assert list(written.customdata[1]) == [16, 2.0]
    assert list(others[1].y) == [None]
    assert {plot.layout.xaxis.type, plot.layout.yaxis.type, plot.layout.xaxis2.type} == {"log"}


def test_a_model_keeps_its_look_before_its_first_point():
    plot = drawn(seconds_figure(TIMINGS[:1], models=("transformer", "gru")))
    assert plot.data[-1].line.color == LOOKS[1].colour
    assert not drawn(seconds_figure([])).data


def test_the_exports_of_seconds_hold_every_point():
    figure = seconds_figure(TIMINGS, "2 cores")
    assert table(figure.csv())["forced_seconds"].tolist() == [0.02, 0.01, 0.0]
    assert archive(figure.npz())["decode_seconds"].tolist() == [0.032, 0.016, 0.08]
    assert "2 cores" in figure.caption
    assert "median" in figure.caption


@pytest.mark.parametrize(("seconds", "words"), [(0.0002, "0.2 ms"), (0.05, "50 ms"), (1.0, "1 s"), (10, "10 s")])
def test_durations_have_a_unit_that_fits(seconds: float, words: str):
    assert duration_words(seconds) == words
