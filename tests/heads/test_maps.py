"""Maps under filters and in windows, against weights that were made by hand and against the sums they must keep."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core.capture import Trace
from core.heads import AttentionMap, Filters, attention_map, axis_of, blocks
from core.models.model import Model
from core.text import merge, merge_masked
from tests.heads.hand_made import future, nothing_masked, random_trace, random_weights, stored_trace, tokens_of
from tests.sentences import refused

ALL_FILTERS = [Filters(words, special) for words in (False, True) for special in ("show", "hide", "renormalise")]
# Word numbers that rise; None for special tokens; a word of several tokens now and then.
WORDS = st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=14).map(
    lambda steps: [None if step is None else sum(s or 0 for s in steps[: i + 1]) for i, step in enumerate(steps)]
)


def one_head(rows: list[list[float]], words: list[int | None], masked: Tensor | None = None) -> Trace:
    weights = torch.tensor([rows])
    return stored_trace(weights, nothing_masked(len(words)) if masked is None else masked, tokens_of(words))


def test_unfiltered_maps_are_the_model_s_own(minilm: Model) -> None:
    trace = minilm.run("The cat sat on the mat.")
    found = attention_map(trace, "self", 3, [7, 2])
    assert torch.equal(found.weights, trace.attention(3, [7, 2]))
    assert torch.equal(found.masked, trace.masked(3))
    assert (found.heads, found.averaged) == ((7, 2), False)
    assert found.rows == found.cols == axis_of(trace, "self", "queries")
    assert not found.left_out.any()
    assert attention_map(trace, "self", 3).heads == tuple(range(12))


def test_hidden_tokens_leave_their_share_behind() -> None:
    rows = [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]
    trace = one_head(rows, [None, 0, 1])
    hidden = attention_map(trace, "self", 0, filters=Filters(special="hide"))
    assert hidden.weights.tolist() == [[[0.25, 0.25], [0, 0]]]
    assert hidden.left_out.tolist() == [[0.5, 1.0]]
    divided = attention_map(trace, "self", 0, filters=Filters(special="renormalise"))
    assert divided.weights.tolist() == [[[0.5, 0.5], [0, 0]]]  # nothing is left of the last row
    assert divided.left_out.tolist() == [[0.5, 1.0]]
    assert not divided.masked.any()


def test_what_little_is_left_is_not_lost_in_rounding() -> None:
    trace = one_head([[1.0, 0, 0], [1.0, 3e-20, 1e-20], [1.0, 1e-20, 0]], [None, 0, 1])
    divided = attention_map(trace, "self", 0, filters=Filters(special="renormalise"))
    torch.testing.assert_close(divided.weights, torch.tensor([[[0.75, 0.25], [1.0, 0.0]]]))


def test_a_first_row_that_sees_only_hidden_columns_is_blank() -> None:
    before = ~torch.ones(3, 3).tril(-1).bool()  # each query sees the keys before it
    trace = one_head([[0, 0, 0], [1.0, 0, 0], [0.25, 0.75, 0]], [None, 0, 1], before)
    for special in ("hide", "renormalise"):
        found = attention_map(trace, "self", 0, filters=Filters(special=special))
        assert found.masked.tolist() == [[True, True], [False, True]]
        assert found.weights[0, 0].tolist() == [0, 0]
        assert found.left_out.tolist() == [[1.0, 0.25]]


def test_words_are_merged_before_rows_are_divided() -> None:
    # [S] and a word of two tokens, whose rows leave 1/2 and 1 of themselves.
    trace = one_head([[1.0, 0, 0], [0.5, 0.25, 0.25], [0, 0.5, 0.5]], [None, 0, 0])
    assert attention_map(trace, "self", 0, filters=Filters(words=True)).weights.tolist() == [[[1, 0], [0.25, 0.75]]]
    hidden = attention_map(trace, "self", 0, filters=Filters(words=True, special="hide"))
    assert (hidden.weights.tolist(), hidden.left_out.tolist()) == ([[[0.75]]], [[0.25]])
    assert attention_map(trace, "self", 0, filters=Filters(True, "renormalise")).weights.tolist() == [[[1.0]]]


@given(queries=WORDS, keys=WORDS, seed=st.integers(0, 99), density=st.floats(0, 1))
def test_rows_sum_to_what_the_filters_leave(
    queries: list[int | None], keys: list[int | None], seed: int, density: float
) -> None:
    if set(queries) == {None} or set(keys) == {None}:
        return
    masked = torch.rand(len(queries), len(keys), generator=torch.Generator().manual_seed(seed)) < density
    trace = stored_trace(random_weights(2, masked, seed), masked, tokens_of(queries), tokens_of(keys))
    for words in (False, True):
        shown, hidden, divided = (
            attention_map(trace, "cross", 0, filters=Filters(words, special))
            for special in ("show", "hide", "renormalise")
        )
        kept = [shown.rows.index_of(place) for place in hidden.rows.places]
        own = shown.weights[:, kept].sum(-1)
        torch.testing.assert_close(hidden.weights.sum(-1), own - hidden.left_out, atol=1e-5, rtol=0)
        alive = (~divided.masked).any(-1).float()
        torch.testing.assert_close(divided.weights.sum(-1), alive.expand(2, -1), atol=1e-5, rtol=0)
        for found in (shown, hidden, divided):
            assert not found.weights[:, found.masked].any()
            assert not found.weights.isnan().any()


@given(words=WORDS, seed=st.integers(0, 99))
def test_merged_maps_are_those_of_the_text_package(words: list[int | None], seed: int) -> None:
    tokens, masked = tokens_of(words), future(len(words))
    weights = random_weights(2, masked, seed)
    found = attention_map(stored_trace(weights, masked, tokens), "self", 0, filters=Filters(words=True))
    torch.testing.assert_close(found.weights, merge(weights, tokens, tokens))
    assert torch.equal(found.masked, merge_masked(masked, tokens, tokens))
    torch.testing.assert_close(found.weights.sum(-1), torch.ones(2, len(found.rows)))


@pytest.mark.parametrize("filters", ALL_FILTERS)
@pytest.mark.parametrize("cells", [blocks.CELLS, 700, 1])
def test_a_window_is_that_part_of_the_whole(filters: Filters, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = random_trace(60, heads=3)
    whole = attention_map(trace, "self", 0, filters=filters)
    monkeypatch.setattr(blocks, "CELLS", cells)
    for rows, cols in [(slice(0, 5), slice(3, 9)), (slice(10, 20), slice(None)), (slice(20, None), slice(0, 1))]:
        part = attention_map(trace, "self", 0, filters=filters, rows=rows, cols=cols)
        torch.testing.assert_close(part.weights, whole.weights[:, rows, cols], atol=1e-6, rtol=0)
        assert torch.equal(part.masked, whole.masked[rows, cols])
        torch.testing.assert_close(part.left_out, whole.left_out[:, rows], atol=1e-6, rtol=0)
        assert (part.rows, part.cols) == (whole.rows[rows], whole.cols[cols])


def test_a_word_longer_than_a_block_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    masked = future(41)
    trace = stored_trace(random_weights(3, masked), masked, tokens_of([0, *[1] * 38, 2, 2]))
    whole = attention_map(trace, "self", 0, filters=Filters(words=True))
    monkeypatch.setattr(blocks, "CELLS", 5 * 41)
    torch.testing.assert_close(attention_map(trace, "self", 0, filters=Filters(words=True)).weights, whole.weights)


def test_the_mean_over_heads_keeps_their_numbers() -> None:
    found = attention_map(random_trace(9, heads=3), "self", 0, [2, 0], Filters(special="hide"))
    mean = found.mean()
    torch.testing.assert_close(mean.weights[0], found.weights.sum(0) / 2)
    torch.testing.assert_close(mean.left_out[0], found.left_out.sum(0) / 2)
    assert (mean.heads, mean.averaged, mean.weights.shape) == ((2, 0), True, (1, 7, 7))


def test_a_map_refuses_parts_that_do_not_fit() -> None:
    found = attention_map(random_trace(5), "self", 0)
    with pytest.raises(ValueError, match="do not fit 2 maps of 5 rows and 5 columns"):
        AttentionMap(found.weights[:, :4], found.masked, found.left_out, (0, 1), False, found.rows, found.cols)
    with pytest.raises(ValueError, match="no rows or no columns"):
        attention_map(random_trace(5), "self", 0, rows=slice(5, 9))
    with refused("Only special tokens were read"):
        attention_map(random_trace(2), "self", 0, filters=Filters(special="hide"))


@pytest.mark.parametrize("filters", ALL_FILTERS)
@settings(deadline=None, max_examples=20)
@given(text=st.text(min_size=1, max_size=30).map(lambda text: f"tokenization {text}"))
def test_any_text_of_a_real_model_can_be_filtered(minilm: Model, filters: Filters, text: str) -> None:
    trace = minilm.run(text)
    found = attention_map(trace, "self", 2, filters=filters)
    shown = 1 - found.left_out if filters.special == "hide" else torch.ones_like(found.left_out)
    torch.testing.assert_close(found.weights.sum(-1), shown, atol=1e-5, rtol=0)
    assert not found.masked.any()
    assert ("special" in found.cols.kinds) is (filters.special == "show")
