"""The words around figures: what every caption names, the measures, the facts, the picked cell."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.heads import Filters, survey
from core.views import (
    View,
    captions,
    head_map_figure,
    head_view_figure,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    text_figure,
)
from tests.views.traces import archive, plain_tokens, random_trace, table, trace_of, with_special_ends


def test_captions_name_model_place_scale_normalisation_size_and_check(trace, surveyed):
    count, view = len(trace.tokens), View("self", 2, 8)
    for figure, place in (
        (overview_figure(trace, surveyed, view), "all 6 × 12 heads"),
        (heatmap_figure(trace, view, surveyed), "layer 2, head 8"),
        (head_view_figure(trace, view), "layer 2, all 12 heads"),
        (text_figure(trace, view, 3, None), "layer 2, head 8"),
        (query_key_figure(trace, view, 3), "layer 2, head 8, query 3"),
        (head_map_figure(trace, surveyed, view), "all 6 × 12 heads"),
    ):
        for part in ("all-MiniLM-L6-v2", "self-attention", place, f"{count} tokens", "check A·V = O within"):
            assert part in figure.caption
            assert part in str(archive(figure.npz())["caption"])
        rows = table(figure.csv())
        assert set(rows["model"]) == {"all-MiniLM-L6-v2"}
        assert {"special", "merged", "stream"} <= set(rows.columns)


def test_a_sink_is_stated_with_its_share_and_rows_are_not_said_to_sum_to_one():
    trace = random_trace(6, causal=True, sinks=torch.tensor([0.5, 1.0, 2.0]).view(1, 3, 1, 1))
    surveyed, view = survey(trace, "self"), View("self", 1, 2)
    share = float(trace.sink_share(1, [2]).mean())
    assert 0 < share < 1
    assert f"{share:.2f} on the sink" in dict(captions.head_facts(trace, surveyed, view))
    mean = float(trace.sink_share(1).mean())
    assert f"{mean:.2f} on the sink" in dict(captions.head_facts(trace, surveyed, View("self", 1, None)))
    for figure in (heatmap_figure(trace, view, surveyed), head_view_figure(trace, view)):
        assert "rows sum to less than 1" in figure.caption
        assert "sums to 1" not in figure.caption


def test_a_limited_layer_is_named():
    trace = random_trace(6, causal=True, kind="sliding window of 4")
    assert "sliding window of 4" in dict(captions.head_facts(trace, survey(trace, "self"), View("self", 0, None)))


def test_an_ordinary_head_has_one_fact(trace, surveyed):
    assert [fact for fact, _ in captions.head_facts(trace, surveyed, View("self", 0, 0))] == ["16 tokens"]


def test_measures_stand_beside_their_uniform_values(trace, surveyed):
    rows = {row.name: row for row in captions.measure_rows(trace, surveyed, View("self", 2, 8))}
    measures = surveyed.measures[2]
    assert list(rows) == [
        "Entropy",
        "Mean distance",
        "On the first token",
        "On the previous token",
        "On the next token",
        "On special tokens",
        "On the own token",
    ]
    assert rows["Entropy"].value == f"{float(measures.entropy[8]):.2f} nats"
    assert rows["Entropy"].uniform_share == 1
    assert rows["On special tokens"].uniform == f"{measures.uniform_special:.2f}"
    assert rows["On special tokens"].share == pytest.approx(float(measures.special[8]))
    mean = {row.name: row for row in captions.measure_rows(trace, surveyed, View("self", 2, None))}
    assert mean["On the own token"].share == pytest.approx(float(measures.own.mean()))
    assert all(0 <= row.share <= 1 and 0 <= row.uniform_share <= 1 for row in rows.values())


def test_one_picked_cell_is_named_with_its_exact_weight(trace):
    line = captions.picked_line(trace, View("self", 2, 8), 1, 2)
    weight = trace.attention(2, [8])[0, 1, 2]
    assert line is not None
    assert line.startswith("Query 1 “the” → key 2 “cat”: weight ")
    assert np.float32(line.removesuffix(".").split("weight ")[1]) == weight.numpy()


def test_one_picked_query_is_named_with_its_strongest_keys(trace):
    weights = trace.attention(2, [8])[0]
    for line, row in (
        (captions.picked_line(trace, View("self", 2, 8), 1, None), weights[1]),
        (captions.picked_line(trace, View("self", 2, 8), None, 1), weights[:, 1]),
    ):
        strongest = int(row.argmax())
        assert f" {strongest} “{trace.tokens.labels[strongest]}” ({float(row[strongest]):.9g})" in str(line)


def test_nothing_picked_masked_and_hidden_tokens_are_said():
    trace = trace_of(with_special_ends(plain_tokens(6)), causal=True)
    view = View("self", 0, 0)
    assert captions.picked_line(trace, view, None, None) is None
    assert captions.picked_line(trace, view, 1, 3) == "Query 1 “x” could not attend to key 3 “x”."
    hidden = View("self", 0, 0, filters=Filters(special="hide"))
    assert captions.picked_line(trace, hidden, 2, 0) == "Key 0 is a special token and left out."
    assert "the mean over the heads" in str(captions.picked_line(trace, View("self", 0, None), 3, 2))


def test_where_the_numbers_come_from_is_told_in_one_line(trace):
    line = captions.provenance_line(trace, "self")
    assert "bidirectional attention" in line
    assert "A·V" in line
