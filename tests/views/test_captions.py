"""The words around figures: what every caption names, the measures, the facts, the picked cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.capture import Trace
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
from core.views.words import MERGED, counted, share_words, special_words, text_words
from tests.views.traces import archive, plain_tokens, random_trace, table, trace_of, with_special_ends


def test_captions_name_model_place_scale_normalisation_size_and_check(trace, surveyed):
    count, view = len(trace.tokens), View("self", 2, 8)
    for figure, place in (
        (overview_figure(trace, surveyed, view), "all 6 × 12 heads"),
        (heatmap_figure(trace, view, surveyed), "layer 2, head 8"),
        (head_view_figure(trace, view), "layer 2"),
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
    assert f"{share:.2f} on no token" in dict(captions.head_facts(trace, surveyed, view))
    mean = float(trace.sink_share(1).mean())
    assert f"{mean:.2f} on no token" in dict(captions.head_facts(trace, surveyed, View("self", 1, None)))
    for figure in (heatmap_figure(trace, view, surveyed), head_view_figure(trace, view)):
        assert "rows sum to less than 1" in figure.caption
        assert "sums to 1" not in figure.caption


def test_a_limited_layer_is_named():
    trace = random_trace(6, causal=True, kind="sliding window of 4")
    assert "sliding window of 4" in dict(captions.head_facts(trace, survey(trace, "self"), View("self", 0, None)))


def test_an_ordinary_head_has_one_fact(trace, surveyed):
    assert [fact for fact, _ in captions.head_facts(trace, surveyed, View("self", 0, 0))] == [
        "16 tokens, 2 of them special"
    ]


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
    assert rows["On the next token"].uniform == f"{measures.uniform_next:.3f}"
    assert rows["On special tokens"].share == pytest.approx(float(measures.special[8]))
    mean = {row.name: row for row in captions.measure_rows(trace, surveyed, View("self", 2, None))}
    assert mean["On the own token"].share == pytest.approx(float(measures.own.mean()))
    assert all(0 <= row.share <= 1 and 0 <= row.uniform_share <= 1 for row in rows.values())


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.742, "0.74"), (0.1, "0.10"), (0.0625, "0.062"), (1 / 512, "0.002"), (1 / 16384, "6.1e-5"), (0.0, "0")],
)
def test_small_shares_keep_the_digits_that_tell_them_apart(share: float, words: str):
    assert share_words(share) == words


def test_a_mean_over_heads_is_said_to_be_the_mean_of_their_entropies(trace, surveyed):
    (entropy, distance, *_) = captions.measure_rows(trace, surveyed, View("self", 2, None))
    assert entropy.explanation.endswith("Here the mean of the heads' entropies, not the entropy of their mean map.")
    assert distance.explanation.endswith("Here the mean over the heads.")
    assert "mean of the heads' entropies" in captions.measured(trace, View("self", 2, None))
    assert captions.measured(trace, View("self", 2, 8)) == "head 8"
    assert "Here" not in captions.measure_rows(trace, surveyed, View("self", 2, 8))[0].explanation


def test_tokens_are_counted_as_they_are_shown():
    trace = trace_of(replace(with_special_ends(plain_tokens(7)), words=(None, 0, 0, 1, 1, 2, None)), causal=False)
    for filters, words in (
        (Filters(), "7 tokens · no token left out"),
        (Filters(words=True), f"7 tokens as 3 words and 2 special tokens · {MERGED}; no token left out"),
        (Filters(special="hide"), "5 of 7 tokens · special tokens left out, rows not renormalised"),
        (
            Filters(words=True, special="renormalise"),
            f"5 of 7 tokens as 3 words · {MERGED}; then special tokens left out, rows renormalised",
        ),
    ):
        view = View("self", 0, 0, filters=filters)
        assert f" · {words} · " in heatmap_figure(trace, view, survey(trace, "self")).caption
    assert captions.head_facts(trace, survey(trace, "self"), View("self", 0, 0))[0][0] == "7 tokens, 2 of them special"


def test_two_sides_are_counted_each():
    queries, keys = plain_tokens(5), with_special_ends(plain_tokens(7))
    call = trace_of(keys, causal=False, layers=1)._stream("self")[0]
    calls = [replace(call, query=call.query[:, :, :5])]
    sides = {"self": (queries, keys)}
    trace = Trace(keys, calls, random_trace(2, causal=False).provenance, random_trace(2, causal=False).output, sides)
    assert counted(trace, "self") == "5 × 7 tokens"
    assert counted(trace, "self", Filters(special="hide")) == "5 × 5 of 5 × 7 tokens"
    assert counted(trace, "self", Filters(words=True)) == "5 × 7 tokens as 5 × 5 words and 0 × 2 special tokens"
    assert special_words(trace, "self") == "5 × 7 tokens, 0 × 2 of them special"
    assert text_words(trace, "self") == "queries: “xxxxx” · keys: “xxxxxxx”"


def test_figures_without_tokens_name_their_text_letter_for_letter(minilm):
    first = "The  Größe of a <b>猫</b>\nand a second line that goes on and on and on"
    trace = minilm.run(first, "is short")
    surveyed, view = survey(trace, "self"), View("self", 0, 0)
    text = f"text: “{first.replace(chr(10), '⏎')[:59]}…” and “is short”"
    assert len(first) > 60
    for figure in (overview_figure(trace, surveyed, view), head_map_figure(trace, surveyed, view)):
        assert text in figure.caption
        assert text in str(archive(figure.npz())["caption"])


def test_heads_that_share_keys_and_values_are_named():
    def fact(heads: int, shared: int, head: int | None) -> str:
        generator = torch.Generator().manual_seed(0)
        key = torch.randn(1, shared, 4, 8, generator=generator)
        trace = random_trace(4, causal=True, layers=1, heads=heads)
        calls = [replace(call, key=key) for call in trace._stream("self")]
        grouped = Trace(trace.tokens, calls, trace.provenance, trace.output)
        return captions.head_facts(grouped, survey(grouped, "self"), View("self", 0, head))[1][0]

    assert fact(9, 3, 0) == "shares its keys and values with heads 1 and 2"
    assert fact(4, 2, 3) == "shares its keys and values with head 2"
    assert fact(12, 1, 3) == "shares its keys and values with all 11 other heads"
    assert fact(32, 2, 0) == "shares its keys and values with 15 other heads between 1 and 15"
    assert fact(9, 3, None) == "9 heads share 3 sets of keys and values"


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
