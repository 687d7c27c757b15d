"""The query-key view: every step from the vectors to the weights, and those of the trace at the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.capture import Trace
from core.errors import HeadlightError
from core.views import View, query_key_figure
from core.views.payload import unpack
from tests.views.traces import archive, random_trace, table

VIEW = View("self", 1, 2)


def test_each_step_follows_from_the_one_before_and_ends_in_the_weights():
    trace = random_trace(7, causal=True)
    header, arrays = unpack(query_key_figure(trace, VIEW, 4).payload)
    assert header["dims"] == 8
    np.testing.assert_allclose(arrays["key"] @ arrays["query"], arrays["dots"], rtol=1e-5)
    np.testing.assert_allclose(arrays["dots"] * header["steps"]["scale"], arrays["scaled"], rtol=1e-6)
    np.testing.assert_array_equal(np.isnan(arrays["logits"]), np.arange(7) > 4)
    np.testing.assert_allclose(arrays["logits"][:5], arrays["scaled"][:5], rtol=1e-6)
    np.testing.assert_allclose(arrays["weights"], trace.attention(1, [2])[0, 4], atol=1e-6)
    assert header["query_place"] == 4
    assert header["col_places"] == list(range(7))
    assert "added" not in arrays
    assert header["steps"]["sink"] is None


def test_what_is_added_and_a_sink_are_told():
    bias = torch.randn(1, 3, 6, 6, generator=torch.Generator().manual_seed(1))
    figure = query_key_figure(_biased(bias), VIEW, 3)
    header, arrays = unpack(figure.payload)
    np.testing.assert_allclose(arrays["added"][:4], bias[0, 2, 3, :4], rtol=1e-6)
    np.testing.assert_allclose(arrays["logits"][:4], arrays["scaled"][:4] + arrays["added"][:4], rtol=1e-5)
    assert header["steps"]["bias"] is True
    assert header["steps"]["sink"] == pytest.approx(1.5)
    assert arrays["weights"].sum() + header["steps"]["sink_weight"] == pytest.approx(1, abs=1e-5)
    assert "position bias" in figure.caption
    assert "with a sink beside the keys" in figure.caption


def _biased(bias: torch.Tensor) -> Trace:
    trace = random_trace(6, causal=True, sinks=torch.full((1, 3, 1, 1), 1.5))
    calls = [replace(call, bias=bias) for call in trace._stream("self")]
    return Trace(trace.tokens, calls, trace.provenance, trace.output)


def test_of_many_keys_the_strongest_are_shown_in_the_order_of_the_text_and_the_picked_one():
    trace = random_trace(1100, causal=False, layers=1, heads=1)
    weights = trace.attention(0, [0])[0, 5].numpy()
    weakest = int(weights.argmin())
    figure = query_key_figure(trace, View("self", 0, 0), 5, weakest)
    header, arrays = unpack(figure.payload)
    places = header["col_places"]
    assert len(places) == 512
    assert places == sorted(places)
    assert weakest in places
    assert set(places) - {weakest} == set(np.argsort(-weights)[:511].tolist())
    np.testing.assert_allclose(arrays["weights"], weights[places], atol=1e-6)
    assert "the 512 keys of largest weight of 1,100" in figure.caption


def test_exports_have_a_line_a_key_and_the_vectors():
    trace = random_trace(7, causal=True)
    figure = query_key_figure(trace, VIEW, 4)
    rows, arrays = table(figure.csv()), archive(figure.npz())
    assert list(rows["key_index"]) == list(range(7))
    assert {"products_sum", "scaled", "logit", "weight", "masked"} <= set(rows.columns)
    np.testing.assert_array_equal(rows["masked"], np.arange(7) > 4)
    np.testing.assert_array_equal(arrays["key"], trace.query_key(1, 2, 4).key)
    np.testing.assert_allclose(rows["weight"], trace.attention(1, [2])[0, 4], atol=1e-6)


def test_a_mean_has_no_query_and_there_is_no_query_beyond_the_text():
    trace = random_trace(3, causal=False)
    with pytest.raises(HeadlightError, match="choose one head"):
        query_key_figure(trace, View("self", 0, None), 0)
    with pytest.raises(HeadlightError, match="There is no query 3 in this text, which has 0 to 2"):
        query_key_figure(trace, View("self", 0, 0), 3)


def test_the_default_model_ends_in_its_own_weights(trace):
    figure = query_key_figure(trace, View("self", 2, 8), 3)
    np.testing.assert_allclose(unpack(figure.payload)[1]["weights"], trace.attention(2, [8])[0, 3], atol=1e-6)
    for part in (
        "weight = softmax(q · k × 0.1768)",
        "q and k as the attention call received them, after rotary positions where the model has them",
        "score: what the softmax is taken of",
    ):
        assert part in figure.caption
