"""The curves of training: every point exported, extremes drawn, and the start of a run drawn too."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import plotly.io
import pytest

from core.views import curves_figure
from core.views.curves_drawing import MOST_POINTS, drawn_points, log_ticks
from core.views.runs import COLOURS
from tests.views.runs import run_of, told
from tests.views.test_standalone import opened
from tests.views.traces import archive, table


def drawn(*runs, **words):
    """The Plotly figure of runs, and the curves by run and name."""
    figure = plotly.io.from_json(curves_figure(runs, **words).payload.decode())
    told_of = [curve for curve in figure.data if curve.hovertemplate]
    return figure, {curve.hovertemplate.split(", step")[0]: curve for curve in told_of}


def test_a_run_has_its_curves_in_its_colour_and_kind_of_line():
    figure, curves = drawn(run_of(4), run_of(3, "run 2"))
    assert len(curves) == 12
    assert list(curves["run 1, training"].y) == [3, 1.5, 1, 0.75]
    assert list(curves["run 2, development"].x) == [0, 2]
    for run, colour, dash in (("run 1", COLOURS[0], "solid"), ("run 2", COLOURS[1], "dash")):
        own = [curve for name, curve in curves.items() if name.startswith(run)]
        assert {(curve.line.color, curve.line.dash) for curve in own} == {(colour, dash)}
    words = [text.text for text in figure.layout.annotations]
    assert {"run 1", "run 2", "training loss", "development loss", "token accuracy", "gold alignment"} < set(words)
    assert "(log axis)" in words
    keys = {(shape.line.color, shape.line.dash) for shape in figure.layout.shapes}
    assert keys >= {(COLOURS[0], "solid"), (COLOURS[1], "dash")}
    pale, strong = curves["run 1, training"], curves["run 1, development"]
    assert (pale.opacity < strong.opacity, pale.line.width < strong.line.width) == (True, True)
    assert figure.layout.yaxis3.type == "log"
    assert figure.layout.yaxis4.range[0] < 0 < 1 < figure.layout.yaxis4.range[1]


def test_of_many_points_the_extremes_are_drawn_and_all_exported():
    loss = [1.0] * 5000
    loss[1234], loss[4321] = 50.0, -1.0
    run = run_of(5000, loss=loss)
    _, curves = drawn(run)
    points = curves["run 1, training"]
    assert len(points.x) <= MOST_POINTS
    assert (1235, 50.0) in zip(points.x, points.y, strict=True)
    assert (4322, -1.0) in zip(points.x, points.y, strict=True)
    assert {1, 5000} <= set(points.x)
    figure = curves_figure([run])
    assert "at most 400 points" in figure.caption
    np.testing.assert_array_equal(archive(figure.npz())["loss_1"], loss)


@pytest.mark.parametrize("count", [0, 1, 2, 399, 400, 401, 1000])
def test_drawn_points_rise_and_stay_within_the_limit(count: int):
    kept = drawn_points(list(np.sin(np.arange(count))))
    assert len(kept) == len(set(kept)) <= MOST_POINTS
    assert list(kept) == sorted(kept)
    assert not count or (kept[0], kept[-1]) == (0, count - 1)


def test_a_run_before_its_first_step_and_no_run_at_all_are_drawn():
    _, curves = drawn(run_of(0))
    assert list(curves["run 1, token accuracy"].x) == [0]
    empty, _ = drawn(run_of(0, evaluations=[]))
    assert "The first point comes" in empty.layout.annotations[-1].text
    assert "The first point comes" in drawn()[0].layout.annotations[-1].text


def test_a_single_point_is_seen_by_its_marker():
    _, curves = drawn(run_of(1))
    assert curves["run 1, training"].mode == "lines+markers"
    assert drawn(run_of(2))[1]["run 1, training"].mode == "lines"


def test_the_steps_reach_to_the_planned_end():
    figure, _ = drawn(run_of(4, total=600), run_of(2, "run 2"))
    assert figure.layout.xaxis.range[1] >= 600


def test_a_run_that_diverged_says_so_in_its_place_and_leaves_a_gap():
    run = run_of(3, loss=[3.0, 2.0, math.nan], note="not a number at step 3")
    figure, curves = drawn(run_of(4), run_of(3, "run <2>", loss=run.loss, note=run.note))
    note = figure.layout.annotations[-1]
    assert (note.text, note.font.color) == ("run &lt;2&gt;: not a number at step 3", COLOURS[1])
    assert list(curves["run &lt;2&gt;, training"].y) == [3, 2, None]
    assert "run 1: not a number at step 3" in curves_figure([run]).caption


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.3, 4.0, math.nan, 0.0], [0.5, 1, 2]),
        ([0.01, 5.0], [0.01, 0.1, 1]),
        ([1.1, 1.9], None),
        ([], None),
    ],
)
def test_the_ticks_of_a_logarithm_are_few_and_round(values: list[float], ticks: list[float] | None):
    assert log_ticks(values) == ticks


def test_a_network_without_attention_has_no_alignment():
    run = run_of(4, evaluations=[told(0, None), told(2, None)])
    assert "gold alignment:" not in curves_figure([run]).caption
    assert table(curves_figure([run]).csv())["gold_alignment"].tolist() == [""] * 5


def test_the_table_has_a_line_for_every_step_and_its_numbers_are_exact():
    figure = curves_figure([run_of(4), run_of(2, "=run")], "reverse")
    rows = table(figure.csv())
    assert rows["run"].tolist() == ["run 1"] * 5 + ["'=run"] * 3
    assert rows["step"].tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert rows["training_loss"].tolist()[1:5] == [str(3 / step) for step in (1, 2, 3, 4)]
    assert rows["token_accuracy"].tolist()[:3] == ["0.75", "", "0.75"]
    arrays = archive(figure.npz())
    assert arrays["labels"].tolist() == ["run 1", "=run"]
    assert arrays["development_steps_2"].tolist() == [0, 2]
    assert arrays["gold_alignment_1"].tolist() == [0.5, 0.5]


def test_the_caption_says_what_is_shown_and_how_it_was_made():
    words = curves_figure([run_of(4, about="GRU 64, additive attention")], "reverse, 64 examples a step").caption
    for part in (
        "run 1: GRU 64, additive attention",
        "reverse, 64 examples a step",
        "in nats",
        "development: examples that were not trained on",
        "where the model writes by itself",
        "largest attention weight lies on a gold link",
    ):
        assert part in words


def test_why_the_training_loss_lies_higher_is_said_of_whom_it_holds():
    plain, one, two = run_of(4), run_of(4, burdens=["dropout"]), run_of(4, "b", burdens=["dropout", "label smoothing"])
    assert "training alone" not in curves_figure([plain]).caption
    assert curves_figure([one, one]).caption.count("dropout acts in training alone") == 1
    assert "b: dropout and label smoothing act in training alone" in curves_figure([plain, two]).caption


def test_a_page_of_its_own_has_the_dark_theme_in_every_panel(browser, tmp_path: Path):
    with opened(browser, curves_figure([run_of(4)]), tmp_path, "dark") as page:
        page.locator(".plotly-graph-div .scatterlayer .point").first.wait_for()
        layout = page.evaluate("document.querySelector('.plotly-graph-div').layout")
        assert {layout[name]["gridcolor"] for name in layout if name.startswith(("xaxis", "yaxis"))} == {"#2a3140"}
