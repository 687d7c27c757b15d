"""The head view: every weight of a layer, or the strongest of each query where they are too many."""

from __future__ import annotations

import numpy as np

from core.heads import Filters
from core.views import View, head_view_figure
from core.views.head_view import DENSE, KEPT
from core.views.payload import unpack
from tests.views.traces import archive, random_trace, table


def test_weights_come_back_within_half_a_step_of_their_row(trace):
    header, arrays = unpack(head_view_figure(trace, View("self", 2, 8)).payload)
    weights = trace.attention(2).numpy()
    row_max = arrays["row_max"]
    restored = arrays["weights"] / np.float32(255) * row_max[..., None]
    assert np.all(np.abs(restored - weights) <= row_max[..., None] / 509)
    assert header["dense"] is True
    assert header["heads"] == list(range(12))


def test_the_message_is_the_same_whichever_head_is_looked_at(trace):
    assert head_view_figure(trace, View("self", 2, 8)).payload == head_view_figure(trace, View("self", 2, None)).payload


def test_the_caption_holds_what_is_true_whatever_is_drawn(trace):
    figure = head_view_figure(trace, View("self", 2, 8))
    largest = float(trace.attention(2).max())
    assert unpack(figure.payload)[0]["figure"]["caption"] == figure.caption
    for part in ("layer 2 ·", "each row sums to 1", f"line strength from 0 to {largest:.3g}, the largest weight"):
        assert part in figure.caption
    for part in ("heads,", "at rest", "1/500", "0.02", "6 largest"):
        assert part not in figure.caption
    assert "layer 2 " in str(archive(figure.npz())["caption"])
    assert "all 12 heads, every weight" in str(archive(figure.npz())["caption"])
    assert "the 6 largest weights of each query of every head above 0.02" in figure.contents


def test_of_many_weights_the_strongest_of_each_query_are_sent_in_order():
    trace = random_trace(400, causal=True, layers=1, heads=8)
    figure = head_view_figure(trace, View("self", 0, 0))
    header, arrays = unpack(figure.payload)
    weights = trace.attention(0).numpy()
    assert weights.size > DENSE
    assert header["dense"] is False
    assert arrays["columns"].shape == (8, 400, KEPT)
    assert arrays["columns"].dtype == np.uint16
    kept = np.take_along_axis(weights, arrays["columns"].astype(np.int64), axis=-1)
    np.testing.assert_array_equal(kept, -np.sort(-weights, axis=-1)[..., :KEPT])
    np.testing.assert_array_equal(arrays["weights"], np.rint(kept / weights.max(-1, keepdims=True) * np.float32(255)))
    assert f"the {KEPT} largest weights of each query" in figure.caption
    assert len(figure.payload) < 1_000_000


def test_a_layer_of_many_heads_sends_fewer_keys_a_query():
    trace = random_trace(512, causal=False, layers=1, heads=64)
    figure = head_view_figure(trace, View("self", 0, 0))
    kept = unpack(figure.payload)[1]["columns"].shape[-1]
    assert kept == 12
    assert "the 12 largest weights of each query" in figure.caption


def test_of_a_long_map_the_window_is_drawn():
    trace = random_trace(1100, causal=True, layers=1, heads=1)
    figure = head_view_figure(trace, View("self", 0, 0, row=500, col=0))
    header, arrays = unpack(figure.payload)
    assert arrays["weights"].shape == (1, 512, 512)
    assert header["row_places"][0] == 500
    assert "queries 500 to 1011, keys 0 to 511" in figure.caption


def test_the_table_lists_the_lines_at_rest(trace):
    lines = table(head_view_figure(trace, View("self", 2, 8)).csv())
    weights = trace.attention(2).numpy()
    assert lines["weight"].min() > 0.02
    assert lines.groupby(["head", "query_index"]).size().max() <= 6
    assert set(lines["head"]) == set(range(12))
    found = weights[lines["head"], lines["query_index"], lines["key_index"]]
    np.testing.assert_allclose(lines["weight"], found, rtol=1e-5)


def test_filters_reach_lines_and_exports(trace):
    filters = Filters(special="hide")
    figure = head_view_figure(trace, View("self", 2, 8, filters=filters))
    last = len(trace.tokens) - 1
    lines = table(figure.csv())
    assert not {0, last} & set(lines["query_index"]) | {0, last} & set(lines["key_index"])
    assert set(lines["special"]) == {"hide"}
    # The product of a window is not rounded as that of the whole: a logit of some size is off by an eps or two of it, a
    # weight, being its exponential, by as much of its own.
    np.testing.assert_allclose(archive(figure.npz())["weights"], trace.attention(2)[:, 1:last, 1:last], rtol=1e-5)
    assert "special tokens left out, rows not renormalised" in figure.caption
