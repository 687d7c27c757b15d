"""The text view's numbers: those of the map, summed and averaged where tokens share a character."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.capture import Trace
from core.heads import Filters
from core.text import byte_encoder
from core.views import View, text_figure
from core.views.payload import unpack
from tests.views.traces import archive, plain_tokens, random_trace, table, trace_of, with_special_ends

VIEW = View("self", 1, 2)


def test_where_no_character_is_shared_the_weights_are_the_map(trace):
    header, arrays = unpack(text_figure(trace, View("self", 2, 8), None, None).payload)
    np.testing.assert_array_equal(arrays["weights"], trace.attention(2, [8])[0])
    (block,) = header["blocks"]
    assert block["role"] == "both"
    assert "".join(text for text, _, kind, *_ in block["parts"] if kind != "special") == trace.tokens.text
    assert header["dense"] is True
    assert "pick" not in header


def test_tokens_of_one_sign_are_summed_as_keys_and_averaged_as_queries():
    trace = trace_of(byte_encoder().encode("a猫b"), causal=False)
    figure = text_figure(trace, VIEW, None, None)
    header, arrays = unpack(figure.payload)
    full = trace.attention(1, [2])[0].numpy()
    assert [part[0] for part in header["blocks"][0]["parts"]] == ["a", "猫", "b"]
    assert header["blocks"][0]["parts"][1] == ["猫", 1, "", 1, 3]
    weights = arrays["weights"]
    assert weights[0, 1] == pytest.approx(full[0, 1:4].sum(), rel=1e-5)
    assert weights[1, 0] == pytest.approx(full[1:4, 0].mean(), rel=1e-5)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    assert "tokens that share a character are one part" in figure.caption


def test_masked_cells_are_not_numbers_and_nothing_is_shared():
    trace = random_trace(6, causal=True)
    figure = text_figure(trace, VIEW, None, None)
    weights = unpack(figure.payload)[1]["weights"]
    np.testing.assert_array_equal(np.isnan(weights), np.triu(np.ones((6, 6), bool), 1))
    assert "share a character" not in figure.caption


def test_a_message_does_not_depend_on_what_is_picked():
    trace = random_trace(6, causal=True)
    assert text_figure(trace, VIEW, 1, 2).payload == text_figure(trace, VIEW, None, None).payload


def test_the_table_holds_the_row_of_the_query_and_the_column_of_the_key():
    trace = random_trace(6, causal=False)
    full = trace.attention(1, [2])[0].numpy()
    rows = table(text_figure(trace, VIEW, 1, 4).csv())
    keys, queries = rows[rows["side"] == "key"], rows[rows["side"] == "query"]
    np.testing.assert_allclose(keys["weight_from_picked_query"].astype(float), full[1], rtol=1e-5)
    np.testing.assert_allclose(queries["weight_on_picked_key"].astype(float), full[:, 4], rtol=1e-5)
    assert list(keys["index"]) == list(range(6))


def test_a_part_is_named_as_in_other_figures_and_has_its_plain_characters_beside():
    tokens = replace(
        plain_tokens(4), text="a bcd", labels=("a", "␣b", "c", "d"), spans=((0, 1), (1, 3), (3, 4), (4, 5))
    )
    figure = text_figure(trace_of(tokens, causal=True), VIEW, 2, None)
    rows = table(figure.csv())
    queries = rows[rows["side"] == "query"]
    assert list(queries["label"]) == ["a", "␣b", "c", "d"]
    assert list(queries["characters"]) == ["a", " b", "c", "d"]
    arrays = archive(figure.npz())
    assert list(arrays["queries"]) == list(arrays["keys"]) == ["a", "␣b", "c", "d"]
    assert json.loads(str(arrays["query_texts"])) == ["a", " b", "c", "d"]


def test_the_label_of_a_part_that_tokens_share_is_its_characters():
    rows = table(text_figure(trace_of(byte_encoder().encode("a猫 b"), causal=False), VIEW, None, None).csv())
    assert list(rows[rows["side"] == "key"]["label"]) == ["a", "猫", "␣", "b"]


@pytest.mark.parametrize(("query", "key"), [(None, None), (1, None), (1, 2)])
def test_the_caption_is_true_whatever_is_picked(trace, query: int | None, key: int | None):
    figure = text_figure(trace, View("self", 2, 8), query, key)
    assert "from 0 to the largest weight at the token that is picked or pointed at" in figure.caption
    assert "colour" not in str(archive(figure.npz())["caption"])
    assert "every weight" in str(archive(figure.npz())["caption"])


@pytest.fixture(scope="module")
def long_trace():
    return trace_of(with_special_ends(plain_tokens(1100)), causal=True, layers=1, heads=2)


@pytest.mark.parametrize("head", [1, None])
def test_of_a_long_text_the_row_and_column_of_the_picked_token_are_sent(long_trace, head: int | None):
    figure = text_figure(long_trace, View("self", 0, head), 700, 30)
    header, arrays = unpack(figure.payload)
    full = long_trace.attention(0, None if head is None else [head]).mean(0).numpy()
    assert header["dense"] is False
    assert header["pick"] == [700, 30]
    np.testing.assert_allclose(np.nan_to_num(arrays["row"]), full[700], atol=1e-6)
    np.testing.assert_allclose(np.nan_to_num(arrays["column"]), full[:, 30], atol=1e-6)
    np.testing.assert_array_equal(np.isnan(arrays["row"]), np.arange(1100) > 700)
    arrays = archive(figure.npz())
    assert set(arrays) >= {"row", "column", "query_texts", "key_index"}
    assert "the weights of query 700 and the weights on key 30" in str(arrays["caption"])


def test_of_a_long_text_only_the_side_that_is_picked_is_read(long_trace):
    header, arrays = unpack(text_figure(long_trace, View("self", 0, 0), 700, None).payload)
    assert header["pick"] == [700, None]
    assert list(arrays) == ["row"]


def test_of_a_long_text_nothing_is_sent_before_something_is_picked(long_trace):
    header, arrays = unpack(text_figure(long_trace, View("self", 0, 0), None, None).payload)
    assert arrays == {}
    assert "pick" not in header


def test_a_picked_token_that_is_hidden_is_not_sent(long_trace):
    view = View("self", 0, 0, filters=Filters(special="hide"))
    header, arrays = unpack(text_figure(long_trace, view, 0, 5).payload)
    assert list(arrays) == ["column"]
    assert header["pick"] == [None, 5]


def test_two_texts_on_two_sides_are_blocks_of_their_own():
    trace = random_trace(5, causal=False)
    queries = replace(plain_tokens(5), text="yyyyy", labels=("y",) * 5)
    two_sided = Trace(
        trace.tokens, trace._stream("self"), trace.provenance, trace.output, {"self": (queries, trace.tokens)}
    )
    header, arrays = unpack(text_figure(two_sided, VIEW, None, None).payload)
    assert [(b["title"], b["role"]) for b in header["blocks"]] == [("Queries", "query"), ("Keys", "key")]
    assert [part[0] for part in header["blocks"][0]["parts"]] == ["y"] * 5
    np.testing.assert_array_equal(arrays["weights"], trace.attention(1, [2])[0])


def test_a_pair_is_two_blocks(minilm):
    trace = minilm.run("one two", "three")
    header, _ = unpack(text_figure(trace, View("self", 0, 0), None, None).payload)
    assert [block["title"] for block in header["blocks"]] == ["First text", "Second text"]


def test_tokens_without_characters_are_shown_by_their_labels():
    bare = replace(plain_tokens(3), text="", spans=(None,) * 3)
    header, arrays = unpack(text_figure(trace_of(bare, causal=False), VIEW, None, None).payload)
    assert [part[0] for part in header["blocks"][0]["parts"]] == ["x", "x", "x"]
    assert arrays["weights"].shape == (3, 3)


def test_an_archive_gives_no_part_the_room_of_the_longest(minilm):
    trace = minilm.run("y" * 20_000 + " cat" * 200)
    arrays = archive(text_figure(trace, View("self", 0, 0), 3, None).npz())
    texts = [array for name, array in arrays.items() if array.dtype.kind == "U"]
    assert sum(array.nbytes for array in texts) < 4_000_000
    assert json.loads(str(arrays["key_texts"]))[1] == "y" * 20_000
