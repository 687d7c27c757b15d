"""Maps before and after the words moved: permuted exactly without positions, and not with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import HeadlightError
from core.mechanics import compare_orders
from core.models.loading import load
from core.views import order_figure
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table


@pytest.fixture(scope="module")
def compared():
    return compare_orders(load("zh-en-transformer"), "猫追老鼠。", [2, 1, 0, 3, 4])


@pytest.fixture(scope="module")
def causal():
    return compare_orders(load("lm-rotary"), "The dog saw a cat.", [0, 4, 2, 3, 1, 5])


def maps_of(figure):
    return [np.array(trace.customdata) for trace in plot_of(figure).data]


def texts(figure):
    return [text.text for text in plot_of(figure).layout.annotations]


def test_without_positions_each_cell_holds_the_weight_of_the_same_words_before(compared):
    _, _, _, moved = maps_of(order_figure(compared, 0, 1))
    assert np.abs(moved[..., 0] - moved[..., 1]).max() <= compared.tolerance
    _, with_positions, *_ = maps_of(order_figure(compared, 0, 1))
    assert np.abs(with_positions[..., 0] - with_positions[..., 1]).max() > 0.01


def test_the_sentences_say_what_was_found(compared):
    found = texts(order_figure(compared, 0))
    assert any(text.startswith("without positions · <b>exactly permuted</b>: largest difference ") for text in found)
    assert any(text.startswith("with positions · <b>not permuted</b>: largest difference 0.") for text in found)
    alone = texts(order_figure(compared, 0, bare=False))
    assert any(text.startswith("<b>not permuted</b>: largest difference 0.") for text in alone)


@pytest.mark.parametrize("head", [None, 1])
def test_the_difference_of_the_maps_that_are_shown_stands_beside_that_of_all(compared, head):
    figure = order_figure(compared, 0, head)
    _, moved, *_ = maps_of(figure)
    shown = np.abs(moved[..., 0] - moved[..., 1]).max()
    told = f"difference {shown:.2f} between these two maps, {compared.difference:.2f} over all layers and heads"
    assert any(told in text for text in texts(figure))


def test_maps_are_square(compared):
    layout = plot_of(order_figure(compared, 0)).layout
    anchors = [layout[f"yaxis{number}"].scaleanchor for number in ("", "2", "3", "4")]
    assert anchors == ["x", "x2", "x3", "x4"]


def test_all_maps_share_one_scale_and_are_labelled_in_their_own_order(compared):
    plot = plot_of(order_figure(compared, 1))
    assert {trace.coloraxis for trace in plot.data} == {"coloraxis"}
    assert list(plot.layout.yaxis.ticktext)[1:4] == ["猫", "追", "老"]
    assert list(plot.layout.yaxis2.ticktext)[1:4] == ["老", "追", "猫"]


def test_one_pair_of_words_is_ringed_wherever_it_stands(compared):
    rings = [shape for shape in plot_of(order_figure(compared, 0)).layout.shapes if shape.type == "rect"]
    assert len(rings) == 4
    first, moved = ((ring.y0 + 0.5, ring.x0 + 0.5) for ring in rings[:2])
    places = compared.places
    assert (places[int(moved[0])], places[int(moved[1])]) == first


def test_a_causal_model_is_not_permuted_even_without_positions(causal):
    figure = order_figure(causal, 0)
    assert any("without positions · <b>not permuted</b>" in text for text in texts(figure))
    assert "a token sees only those before it" in figure.caption
    assert "masked" in texts(figure)
    assert len([shape for shape in plot_of(figure).layout.shapes if shape.type == "rect"]) == 4


def test_one_row_is_drawn_where_positions_stay(compared):
    refused = replace(compared, bare_original=None, bare_moved=None, bare_difference=None, refused="They are in it.")
    figure = order_figure(refused, 0)
    assert len(plot_of(figure).data) == 2
    assert "They are in it." in figure.caption
    assert len(plot_of(order_figure(compared, 0, bare=False)).data) == 2


def test_the_exports_hold_weights_and_places(compared):
    figure = order_figure(compared, 0, 1)
    arrays, rows = archive(figure.npz()), table(figure.csv())
    places = arrays["places"]
    moved = arrays["without_before"][places][:, places]
    assert np.allclose(arrays["without_after"], moved, atol=compared.tolerance)
    assert len(rows) == 4 * 49
    after = rows[(rows["moved"]) & (rows["positions"])]
    assert after["key_as_written"].tolist()[:7] == list(places)


def test_layers_and_heads_that_there_are_not_are_refused(compared):
    for layer, head in ((9, None), (0, 9)):
        with pytest.raises(HeadlightError, match="There is no"):
            order_figure(compared, layer, head)


def test_one_query_over_a_recurrence_is_drawn():
    found = compare_orders(load("sentiment-bilstm-additive-0"), "not bad at all", (3, 2, 1, 0))
    figure = order_figure(found, 0)
    assert np.array(plot_of(figure).data[0].z).shape[0] == 1
    assert "recurrence" in figure.caption
