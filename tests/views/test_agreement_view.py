"""Agreement as figures: the matrix, its control, two methods word by word, and every head."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.io
import pytest
from playwright.sync_api import Browser

from core.agreement import HeadAgreement, agreement, matrix
from core.agreement.columns import Column
from core.agreement.control import Control
from core.views import Figure, agreement_figure, control_figure, head_agreement_figure, scatter_figure
from core.views.agreement_view_scale import signed
from tests.views.scored import WORDS, scores_of, signed_scores
from tests.views.test_standalone import opened
from tests.views.traces import archive, table

ATTENTION = scores_of([0.1, 0.4, 0, 0.2, 0.2, 0.1])
SIGNED = signed_scores([-2.0, 1.0, 0, 0.5, 0.75, 0.25])


POSITION = Column("position", "Position", np.arange(6.0), WORDS, plain=True)
CONSTANT = Column("length", "Word <b>length</b>", np.ones(6), WORDS, plain=True)
MATRIX = matrix([ATTENTION, SIGNED, POSITION, CONSTANT])
HEADS = HeadAgreement("self", np.array([[0.9, 0.1, -0.8], [0, np.nan, 0.75]]), 6, 0.4, 0.7, "the [CLS] row", "IG")


CONTROL = Control(0.5, (0.1, float("nan"), 0.3), 0.2, 6, "columns permuted in all heads")


def plot_of(figure: Figure):
    return plotly.io.from_json(figure.payload.decode())


def test_a_number_has_a_true_minus_and_zero_has_none():
    assert [signed(-0.125, 2), signed(-0.001), signed(float("nan"))] == ["−0.12", "0.00", "–"]
    assert signed(-0.5, leading=False) == "−.50"


def test_pairs_inside_the_chance_band_lose_their_colour_and_keep_their_number():
    plot = plot_of(agreement_figure(MATRIX, [ATTENTION, SIGNED]))
    cells, numbers = plot.data
    tau = MATRIX.tau[0, 1]
    assert abs(tau) < MATRIX.band
    assert all(value is None for row in cells.z for value in row)
    assert dict(zip(zip(numbers.x, numbers.y, strict=True), numbers.text, strict=True))[(1, 0)] == signed(tau)
    assert numbers.text[2] == "–"
    assert "M" in plot.layout.shapes[1].path


def test_pairs_outside_it_are_coloured():
    same = plot_of(agreement_figure(matrix([ATTENTION, replace(ATTENTION, method="rollout")]), [ATTENTION]))
    assert list(same.data[0].z[0]) == [None, 1.0]
    assert not same.layout.shapes


def test_baselines_stand_apart():
    plot = plot_of(agreement_figure(MATRIX, [ATTENTION, SIGNED]))
    assert list(plot.layout.xaxis.tickvals) == [0, 1, 2.45, 3.45]
    assert list(plot.data[0].x) == pytest.approx([-0.5, 0.5, 1.5, 1.95, 2.95, 3.95])
    assert plot.layout.xaxis.ticktext[3] == "Word &lt;b&gt;length&lt;/b&gt;"


def test_the_caption_of_the_matrix_says_what_was_compared_and_that_it_is_no_proof():
    words = agreement_figure(MATRIX, [ATTENTION, SIGNED]).caption
    for part in (
        "tiny <b>model</b>",
        "Kendall's tau-b over 6 words of one text",
        "with a sign: Integrated gradients",
        f"|tau| below {MATRIX.band:.2f}",
        "baselines that know no model: Position, Word <b>length</b>",
        "agreement is not faithfulness",
    ):
        assert part in words
    assert "grey" not in agreement_figure(MATRIX, [ATTENTION], "kappa").caption


def test_of_four_words_nothing_is_told_from_chance():
    four = matrix([scores_of([4, 3, 2, 1]), scores_of([4, 3, 2, 1], "rollout")])
    figure = agreement_figure(four, [scores_of([4, 3, 2, 1])])
    assert "no tau is told from chance" in figure.caption
    assert figure.csv()


def test_the_exports_of_the_matrix_have_each_pair_once():
    figure = agreement_figure(MATRIX, [ATTENTION, SIGNED])
    rows = table(figure.csv())
    assert rows["other"].tolist() == ["integrated_gradients", "position", "length", "position", "length", "length"]
    assert float(rows["tau"][0]) == pytest.approx(MATRIX.tau[0, 1])
    np.testing.assert_array_equal(archive(figure.npz())["tau"], MATRIX.tau)


def test_what_draws_at_random_stands_on_the_diagonal_beside_itself_from_another_seed():
    values = np.array([3.0, 1, 2, 6, 5, 4])
    drawn = scores_of(list(values), "smoothgrad", title="SmoothGrad")
    other = scores_of(list(values[[1, 0, 2, 3, 4, 5]]), "smoothgrad", title="SmoothGrad")
    found = matrix([ATTENTION, drawn, POSITION], {"smoothgrad": other})
    tau = agreement(drawn, other).tau
    assert np.diag(found.tau) == pytest.approx([1, tau, 1])
    figure = agreement_figure(found, [ATTENTION, drawn])
    _, numbers = plot_of(figure).data
    told = dict(zip(zip(numbers.x, numbers.y, strict=True), numbers.text, strict=True))
    assert told[(1, 1)] == signed(tau)
    assert (0, 0) not in told
    assert f"with itself from another seed: SmoothGrad {signed(tau)}" in figure.caption
    assert any("itself from another seed" in words for words in numbers.hovertext)
    last = table(figure.csv()).iloc[-1]
    assert (last["one"], last["other"]) == ("smoothgrad", "smoothgrad (another seed)")
    assert float(last["tau"]) == pytest.approx(tau)
    assert archive(figure.npz())["drawn"].tolist() == [False, True, False]


def test_the_control_stands_on_one_axis_with_its_draws_and_their_spread():
    figure = control_figure(CONTROL, ATTENTION, SIGNED, seed=3)
    own, draws, mean, uniform = plot_of(figure).data
    assert (list(own.x), list(draws.x), list(uniform.x)) == ([0.5], [0.1, None, 0.3], [0.2])
    assert mean.x[0] == pytest.approx(0.2)
    assert mean.error_x.array[0] == pytest.approx(np.std([0.1, 0.3], ddof=1))
    for part in ("own tau 0.50", "permuted 0.20 ± 0.14", "3 draws, seed 3", "uniform 0.20", "columns permuted"):
        assert part in figure.caption
    assert table(figure.csv())["weights"].tolist() == [
        "own attention",
        *["permuted attention"] * 3,
        "uniform attention",
    ]


def test_a_control_without_uniform_attention_does_not_speak_of_it():
    figure = control_figure(replace(CONTROL, uniform=None), ATTENTION, SIGNED)
    assert "uniform" not in figure.caption
    assert len(plot_of(figure).data) == 3
    assert np.isnan(archive(figure.npz())["uniform"])


def test_words_are_points_whose_sign_is_a_marker_of_its_own():
    figure = scatter_figure(ATTENTION, SIGNED, agreement(ATTENTION, SIGNED), picked=1)
    points, ring = plot_of(figure).data
    assert list(points.y) == [2.0, 1.0, 0.0, 0.5, 0.75, 0.25]
    assert points.marker.symbol[:2] == ("triangle-down", "circle")
    assert "&lt;/script&gt;" in points.hovertext[2]
    assert (list(ring.x), list(ring.y)) == ([0.4], [1.0])
    assert f"tau {signed(MATRIX.tau[0, 1])} (p " in figure.caption
    assert table(figure.csv())["integrated_gradients"].tolist() == SIGNED.values.tolist()
    assert archive(figure.npz())["labels"].tolist() == list(WORDS)


def test_names_of_words_do_not_lie_over_each_other():
    crowd = scores_of([1.0] * 6)
    assert sum(map(bool, plot_of(scatter_figure(crowd, crowd, agreement(crowd, crowd))).data[0].text)) == 1


def test_a_tau_that_there_is_not_has_its_reason():
    crowd = scores_of([1.0] * 6)
    pair = agreement(crowd, SIGNED)
    assert f"no tau: {pair.reason}" in scatter_figure(crowd, SIGNED, pair).caption
    assert pair.reason


def test_two_methods_with_signs_are_drawn_with_them():
    figure = scatter_figure(SIGNED, SIGNED, agreement(SIGNED, SIGNED))
    assert plot_of(figure).data[0].y[0] == -2.0
    assert "magnitudes" not in figure.caption


def test_every_head_is_a_cell_that_can_be_opened():
    figure = head_agreement_figure(HEADS, SIGNED, picked=(1, 2))
    cells, targets = plot_of(figure).data
    assert np.array(cells.z, float)[0, 0] == 0.9
    assert np.isnan(np.array(cells.z, float)[0, 1])
    assert [list(each) for each in targets.customdata][-1] == [1, 2]
    assert targets.text[2] == "−0.80"
    assert "3 of 5 heads outside it" in figure.caption
    assert "self attention: the [CLS] row" in figure.caption
    assert table(figure.csv())["layer"].tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_array_equal(archive(figure.npz())["tau"], HEADS.tau)


def test_the_hatching_and_the_numbers_are_drawn_in_the_dark(browser: Browser, tmp_path: Path):
    with opened(browser, agreement_figure(MATRIX, [ATTENTION, SIGNED]), tmp_path, "dark") as page:
        page.locator(".scatterlayer .textpoint text").first.wait_for()
        assert page.locator(".scatterlayer .textpoint text").all_text_contents()[0] == signed(MATRIX.tau[0, 1])
        assert page.locator(".shapelayer path").count() >= 2
