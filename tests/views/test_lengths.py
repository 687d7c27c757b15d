"""Accuracy by source length: both measures, and what training has never seen marked."""

from __future__ import annotations

import plotly.io

from core.views import lengths_figure
from core.views.runs import COLOURS
from tests.views.runs import Told, told
from tests.views.traces import archive, table

FOUND = {16: Told(9, 1.5, 0.5, 0.0, 0.8), 4: Told(9, 0.1, 1.0, 1.0, 0.99), 12: Told(9, 0.2, 0.9, 0.5, 0.95)}
WITHOUT = {length: Told(9, 1.0, 0.4, 0.1, None) for length in (4, 12, 16)}


def drawn(runs, trained_to=12):
    return plotly.io.from_json(lengths_figure(runs, trained_to).payload.decode())


def test_both_runs_and_both_measures_are_drawn_by_rising_length():
    figure = drawn([("with attention", FOUND), ("without", WITHOUT)])
    accuracy, alignment, other = figure.data
    assert (list(accuracy.x), list(accuracy.y)) == ([4, 12, 16], [1.0, 0.9, 0.5])
    assert list(alignment.y) == [0.99, 0.95, 0.8]
    assert (other.line.color, other.line.dash) == (COLOURS[1], "dash")
    assert [text.text for text in figure.layout.annotations][-2:] == ["without", "with attention"]


def test_lengths_that_training_never_saw_are_shaded():
    figure = drawn([("a", FOUND)])
    assert {(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"} == {(12.5, 17)}
    assert not [shape for shape in drawn([("a", FOUND)], trained_to=16).layout.shapes if shape.type == "rect"]
    assert "longer than the 12 tokens of the longest source" in lengths_figure([("a", FOUND)], 12).caption
    assert "longer than" not in lengths_figure([("a", FOUND)], 16).caption


def test_without_attention_there_is_one_panel():
    assert [text.text for text in drawn([("a", WITHOUT)], 16).layout.annotations] == ["Token accuracy", "a"]


def test_no_run_yet_is_drawn():
    assert not drawn([]).data
    assert not drawn([("a", {})]).data


def test_a_run_that_was_not_tested_keeps_its_colour():
    (curve,) = drawn([("a", {}), ("b", WITHOUT)]).data
    assert curve.line.color == COLOURS[1]
    assert lengths_figure([("a", {}), ("b", WITHOUT)], 12, "Copy task").stem == "lengths_Copy-task_b"


def test_the_exports_hold_every_measure():
    figure = lengths_figure([("a", FOUND), ("b", {4: told(9, None)})], 12, "reverse")
    rows = table(figure.csv())
    assert rows["source_length"].tolist() == [4, 12, 16, 4]
    assert rows["in_training"].tolist() == [True, True, False, True]
    assert rows["gold_alignment"].tolist() == ["0.99", "0.95", "0.8", ""]
    assert archive(figure.npz())["sequence_accuracy_1"].tolist() == [1.0, 0.5, 0.0]
    assert figure.caption.startswith("reverse · ")
