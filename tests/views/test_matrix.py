"""The heatmap holds what the trace holds, whole or in a window, and says what is left out."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from core.capture import Trace
from core.heads import Filters, retiled, survey, whole_map
from core.views import View, heatmap_figure, whole_figure
from core.views.payload import unpack
from core.views.shown import EXACT_CELLS
from tests.views.traces import archive, plain_tokens, random_trace, table, trace_of, with_special_ends


def test_the_heatmap_draws_the_very_weights(trace, surveyed):
    header, arrays = unpack(heatmap_figure(trace, View("self", 2, 8), surveyed).payload)
    np.testing.assert_array_equal(arrays["weights"], trace.attention(2, [8])[0])
    assert tuple(header["row_labels"]) == tuple(header["col_labels"]) == trace.tokens.labels
    assert header["row_places"] == list(range(len(trace.tokens)))
    assert header["max"] == pytest.approx(float(trace.attention(2, [8]).max()))
    assert header["row_kinds"][0] == "special"
    assert header["row_kinds"][5] == "unknown"
    assert "left_out" not in arrays


def test_both_downloads_hold_the_weights_to_the_last_bit(trace, surveyed):
    figure = heatmap_figure(trace, View("self", 2, 8), surveyed)
    weights = trace.attention(2, [8])[0].numpy()
    np.testing.assert_array_equal(archive(figure.npz())["weights"], weights)
    np.testing.assert_array_equal(table(figure.csv())["weight"].to_numpy(np.float32), weights.ravel())


def test_the_mean_over_heads_is_drawn_and_named(trace, surveyed):
    figure = heatmap_figure(trace, View("self", 2, None), surveyed)
    np.testing.assert_allclose(unpack(figure.payload)[1]["weights"], trace.attention(2).mean(0), atol=1e-7)
    assert "mean of 12 heads" in figure.caption
    assert "mean of 12 heads" in figure.title
    assert set(table(figure.csv())["head"]) == {"mean of 12 heads"}


@pytest.mark.parametrize("span", ["head", "row", "all", "one"])
def test_the_caption_and_the_header_say_what_the_strongest_colour_stands_for(trace, surveyed, span: str):
    figure = heatmap_figure(trace, View("self", 2, 8, span=span), surveyed)
    header, _ = unpack(figure.payload)
    largest = float(trace.attention(2, [8]).max())
    tops = {"head": largest, "row": largest, "all": surveyed.top, "one": 1.0}
    words = {
        "head": f"from 0 to {largest:.3g}, the largest weight shown",
        "row": "from 0 to each row's largest weight",
        "all": f"from 0 to {surveyed.top:.3g}, the largest weight of all heads",
        "one": "from 0 to a weight of 1",
    }
    assert header["max"] == pytest.approx(tops[span])
    assert header["span"] == span
    assert words[span] in figure.caption


def test_masked_cells_are_not_numbers_in_the_picture_and_named_in_the_downloads():
    trace = random_trace(9, causal=True)
    figure = heatmap_figure(trace, View("self", 1, 0, "linear"), survey(trace, "self"))
    later = np.triu(np.ones((9, 9), bool), 1)
    np.testing.assert_array_equal(np.isnan(unpack(figure.payload)[1]["weights"]), later)
    np.testing.assert_array_equal(archive(figure.npz())["masked"], later)
    np.testing.assert_array_equal(table(figure.csv())["masked"].to_numpy().reshape(9, 9), later)


def test_a_large_heatmap_is_sent_in_half_precision_and_downloaded_in_full():
    trace = random_trace(1024, causal=False, layers=1, heads=1)
    assert EXACT_CELLS < 1024**2
    figure = heatmap_figure(trace, View("self", 0, 0), survey(trace, "self"))
    assert unpack(figure.payload)[1]["weights"].dtype == np.float16
    assert len(figure.payload) < 2_200_000
    np.testing.assert_array_equal(archive(figure.npz())["weights"], trace.attention(0, [0])[0])


def test_hidden_special_tokens_are_left_out_and_what_they_held_is_told():
    trace = trace_of(with_special_ends(plain_tokens(7)), causal=False)
    full = trace.attention(1, [2])[0].numpy()
    filters = Filters(special="hide")
    surveyed = retiled(trace, survey(trace, "self"), filters)
    figure = heatmap_figure(trace, View("self", 1, 2, filters=filters), surveyed)
    header, arrays = unpack(figure.payload)
    np.testing.assert_allclose(arrays["weights"], full[1:-1, 1:-1], rtol=1e-5)
    np.testing.assert_allclose(arrays["left_out"], full[1:-1, [0, 6]].sum(1), rtol=1e-5)
    assert header["row_places"] == [1, 2, 3, 4, 5]
    assert header["hidden"] == "special tokens left out, rows not renormalised"
    assert "rows sum to less than 1 without special tokens" in figure.caption
    rows = table(figure.csv())
    assert set(rows["special"]) == {"hide"}
    assert set(rows["query_index"]) == {1, 2, 3, 4, 5}
    np.testing.assert_allclose(rows["query_left_out"].to_numpy().reshape(5, 5)[:, 0], arrays["left_out"], rtol=1e-5)


def test_renormalised_rows_sum_to_one_and_are_said_to(trace, surveyed):
    filters = Filters(words=True, special="renormalise")
    figure = heatmap_figure(trace, View("self", 2, 8, filters=filters), surveyed)
    header, arrays = unpack(figure.payload)
    np.testing.assert_allclose(arrays["weights"].sum(1), 1, atol=1e-5)
    assert header["words"] is True
    for part in ("special tokens left out, rows renormalised", "columns summed, rows averaged", "each row sums to 1"):
        assert part in figure.caption
        assert part in str(archive(figure.npz())["caption"])
    assert set(table(figure.csv())["merged"]) == {True}
    assert figure.stem.endswith("head8_words_no-special-renormalised")


def test_a_text_without_special_tokens_is_not_said_to_lack_them():
    trace = random_trace(5, causal=True)
    figure = heatmap_figure(trace, View("self", 0, 0, filters=Filters(special="hide")), survey(trace, "self"))
    header, arrays = unpack(figure.payload)
    assert "no special tokens to leave out" in figure.caption
    assert "each row sums to 1" in figure.caption
    assert header["hidden"] == ""
    assert "left_out" not in arrays


def test_a_pair_of_texts_is_parted_where_the_second_begins(minilm):
    trace = minilm.run("one two", "three")
    header, _ = unpack(heatmap_figure(trace, View("self", 0, 0), survey(trace, "self")).payload)
    assert header["row_breaks"] == header["col_breaks"] == [trace.tokens.sequences.index(1)]


@pytest.fixture(scope="module")
def long_trace():
    return random_trace(1100, causal=True, layers=1, heads=2)


def test_of_a_long_map_the_exact_window_is_shown_and_exported(long_trace):
    surveyed = survey(long_trace, "self")
    figure = heatmap_figure(long_trace, View("self", 0, 1, row=588, col=100), surveyed)
    header, arrays = unpack(figure.payload)
    expected = long_trace.attention(0, [1], rows=slice(588, 1100), cols=slice(100, 612))[0].numpy()
    np.testing.assert_array_equal(np.nan_to_num(arrays["weights"]), expected)
    assert (header["row_places"][0], header["row_places"][-1]) == (588, 1099)
    assert "queries 588 to 1099, keys 100 to 611" in figure.caption
    assert header["max"] == pytest.approx(float(long_trace.attention(0, [1]).max()))
    np.testing.assert_array_equal(archive(figure.npz())["weights"], expected)
    assert figure.stem.endswith("head1_from-588-100")


def test_the_whole_of_a_long_map_is_shown_in_blocks_with_the_window_in_it(long_trace):
    view = View("self", 0, 1, span="all", row=588, col=100)
    whole = whole_map(long_trace, "self", 0, 1)
    figure = whole_figure(long_trace, view, whole)
    header, arrays = unpack(figure.payload)
    assert header["factor"] == 3
    assert arrays["weights"].shape == (367, 367)
    np.testing.assert_array_equal(arrays["weights"], whole.weights)
    assert header["row_places"][:3] == [0, 3, 6]
    assert header["row_last"][:2] == [2, 5]
    assert header["row_last"][-1] == 1099
    assert header["window"] == [196, 367, 33, 204]
    assert (figure.name, figure.component, header["span"]) == ("whole", "heatmap", "head")
    assert "each cell the largest of 3 × 3 weights" in figure.caption
    rows = table(figure.csv())
    assert rows["largest_weight"].max() == pytest.approx(float(long_trace.attention(0, [1]).max()))
    assert len(rows) == 367**2
    np.testing.assert_array_equal(archive(figure.npz())["query_last"], header["row_last"])


def test_a_word_predicts_what_its_last_token_does():
    tokens = replace(plain_tokens(5), words=(0, 0, 1, 1, 1))
    trace = trace_of(tokens, causal=True)
    predicted = {"self": ("p0", "p1", "p2", "p3", "p4")}
    telling = Trace(tokens, trace._stream("self"), trace.provenance, trace.output, predicted=predicted)
    for filters, expected in ((Filters(), list(predicted["self"])), (Filters(words=True), ["p1", "p4"])):
        figure = heatmap_figure(telling, View("self", 0, 0, filters=filters), survey(telling, "self"))
        assert unpack(figure.payload)[0]["row_predictions"] == expected
        assert set(table(figure.csv())["predicted"]) == set(expected)


def test_one_long_token_does_not_multiply_in_the_table(minilm):
    trace = minilm.run("x" * 100_000 + " word" * 200)
    figure = heatmap_figure(trace, View("self", 0, 0), survey(trace, "self"))
    tracemalloc.start()
    size = len(figure.csv())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 25_000_000
    assert peak < 120_000_000
