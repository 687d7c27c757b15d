"""Erasure as curves against random orders, and scores as weights are randomised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.io
import pytest

from core.agreement.erasure_curves import Curve, Erasure, Numbers
from core.agreement.light import Light
from core.agreement.sanity import Sanity
from core.views import Figure, erasure_figure, sanity_figure
from tests.views.scored import scores_of, signed_scores
from tests.views.traces import archive, table

ATTENTION = scores_of([0.1, 0.4, 0.0, 0.5])
SIGNED = signed_scores([-2.0, 1.0, 0, 0.5])


FALLING, RISING = np.array([0.9, 0.2, 0.1]), np.array([0.1, 0.8, 0.9])
RANDOMISED = Sanity("attention", ("head", "layer 0", "whole model"), (0.9, float("nan"), -0.05), 4, 0.4, 0.7, 2)
ERASED = Erasure(
    by="unknown",
    fractions=np.array([0, 0.5, 1.0]),
    curves={"attention": Curve(FALLING, RISING), "integrated_gradients": Curve(FALLING / 2, RISING / 2)},
    random=Curve(np.linspace(0, 1, 20)[:, None] * np.ones(3), np.zeros((20, 3))),
    numbers={
        "attention": Numbers(-0.125, 0.25, 0.5, -0.0625, 0.5),
        "integrated_gradients": Numbers(0, 0, 0, 0, np.nan),
    },
    chance=Numbers(0, 0, 0.2, 0.3, np.nan),
    ood=Light("watch", "Whether it knows texts with holes is not known.", {}),
    n=4,
    seed=4,
    forwards=9,
    seconds=0.1,
)


def plot_of(figure: Figure):
    return plotly.io.from_json(figure.payload.decode())


def test_each_method_has_a_curve_of_its_own_look_in_both_panels():
    plot = plot_of(erasure_figure(ERASED, [ATTENTION, SIGNED]))
    out, other = (trace for trace in plot.data if trace.name and trace.xaxis == "x")
    back, _ = (trace for trace in plot.data if trace.name and trace.xaxis == "x2")
    assert (list(out.y), list(back.y)) == (FALLING.tolist(), RISING.tolist())
    assert list(out.x) == [0, 50, 100]
    assert out.line.dash != other.line.dash
    assert out.line.color == back.line.color != other.line.color


def test_the_band_holds_95_percent_of_the_random_orders():
    low, high, mean = plot_of(erasure_figure(ERASED, [ATTENTION, SIGNED])).data[:3]
    assert (low.y[0], high.y[0]) == pytest.approx((0.025, 0.975))
    assert mean.y[0] == pytest.approx(0.5)
    assert high.fill == "tonexty"


def test_the_numbers_stand_beside_the_keys():
    texts = [each.text for each in plot_of(erasure_figure(ERASED, [ATTENTION, SIGNED])).layout.annotations]
    for text in ("Attention", "−0.125", "0.250", "0.500", "−0.062", "deletion", "50 %", "never"):
        assert text in texts


def test_the_caption_says_what_removing_means_and_what_the_band_is():
    words = erasure_figure(ERASED, [ATTENTION, SIGNED]).caption
    for part in (
        "tiny <b>model</b>",
        "explained: label “positive”",
        "replaced by the unknown token",
        "4 words of one text",
        "95 % of 20 random orders, seed 4",
        "speak most for the target first: Integrated gradients",
        "texts with holes is not known",
        "thin: the order reversed",
    ):
        assert part in words


def test_the_exports_hold_every_point_and_every_random_order():
    figure = erasure_figure(ERASED, [ATTENTION, SIGNED])
    rows = table(figure.csv())
    assert len(rows) == (2 + 20) * 3
    assert rows[rows["method"] == "attention"]["deletion"].tolist() == FALLING.tolist()
    arrays = archive(figure.npz())
    np.testing.assert_array_equal(arrays["insertion"], [RISING, RISING / 2])
    assert arrays["random_deletion"].shape == (20, 3)
    assert arrays["comprehensiveness"].tolist() == [0.5, 0.0]


def test_sanity_starts_at_the_trained_model_and_goes_stage_by_stage():
    figure = sanity_figure({"attention": RANDOMISED}, [ATTENTION])
    plot = plot_of(figure)
    assert list(plot.data[0].y) == [1.0, 0.9, None, -0.05]
    assert plot.layout.xaxis.ticktext == ("as trained", "head", "layer 0", "whole model")
    assert plot.layout.shapes[0].y1 == pytest.approx(0.7)
    for part in ("seed 2", "in the end: Attention −0.05", "|tau| below 0.70"):
        assert part in figure.caption


def test_the_exports_of_sanity_hold_every_stage():
    figure = sanity_figure({"attention": RANDOMISED, "integrated_gradients": RANDOMISED}, [ATTENTION, SIGNED])
    assert table(figure.csv())["stage"].tolist() == ["head", "layer 0", "whole model"] * 2
    assert archive(figure.npz())["tau_2"][0] == 0.9


def test_figures_of_nothing_have_exports_too():
    none = replace(ERASED, curves={}, numbers={})
    for figure in (erasure_figure(none, []), sanity_figure({}, [])):
        assert figure.csv()
        assert figure.npz()


def test_the_reverse_order_is_drawn_for_few_methods_and_told_for_many():
    plot = plot_of(erasure_figure(ERASED, [ATTENTION, SIGNED]))
    pale = [trace for trace in plot.data if trace.opacity is not None]
    assert (list(pale[0].y), list(pale[1].y)) == (RISING[::-1].tolist(), FALLING[::-1].tolist())
    curve, numbers = ERASED.curves["attention"], ERASED.numbers["attention"]
    four = replace(ERASED, curves=dict.fromkeys("abcd", curve), numbers=dict.fromkeys("abcd", numbers))
    assert not any(trace.opacity for trace in plot_of(erasure_figure(four, [])).data)
    assert "from right to left" in erasure_figure(four, []).caption
