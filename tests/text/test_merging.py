"""Merging by words: nothing is lost, and nothing is merged twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.text import TextEncoder, Tokens, merge, merge_masked
from tests.text.setups import WRITERS
from tests.text.strategies import TEXTS

READABLE = TEXTS.map(lambda text: f"the {text} cat the")


def random_rows(queries: int, keys: int, seed: int, sink: float = 0.0) -> np.ndarray:
    """Rows that sum to 1 - sink, as where a model has a sink of its own."""
    drawn = np.random.default_rng(seed).random((2, queries, keys))
    return (1 - sink) * drawn / drawn.sum(-1, keepdims=True)


def some_tokens(words: list[int | None]) -> Tokens:
    own = [word is not None for word in words]
    return Tokens(
        text="x" * len(words),
        text_pair=None,
        ids=tuple(range(len(words))),
        pieces=("x",) * len(words),
        labels=("x",) * len(words),
        spans=tuple((i, i + 1) if o else None for i, o in enumerate(own)),
        sequences=tuple(0 if o else None for o in own),
        words=tuple(words),
        type_ids=(0,) * len(words),
        special=tuple(not o for o in own),
        unknown=(False,) * len(words),
    )


def test_columns_are_summed_and_rows_averaged() -> None:
    tokens = some_tokens([None, 0, 0, 1])
    weights = np.array([[1, 0, 0, 0], [0.5, 0.1, 0.2, 0.2], [0.1, 0.3, 0.5, 0.1], [0.25, 0.25, 0.25, 0.25]])
    expected = [[1, 0, 0], [0.3, 0.55, 0.15], [0.25, 0.5, 0.25]]
    np.testing.assert_allclose(merge(weights, tokens, tokens), expected)
    torch.testing.assert_close(merge(torch.tensor(weights), tokens, tokens), torch.tensor(expected).double())


def test_the_last_word_is_merged_without_an_end_token() -> None:
    """The Ġphen omen al: what another library leaves out."""
    tokens = some_tokens([0, 1, 1, 1])
    assert tokens.merged().members == ((0,), (1, 2, 3))
    assert merge(np.full((4, 4), 0.25), tokens, tokens).tolist() == [[0.25, 0.75], [0.25, 0.75]]
    assert some_tokens([0, 1, 1]).merged().members == ((0,), (1, 2))


def test_words_that_share_a_number_only_by_chance_of_the_pair_stay_apart(wordpiece: TextEncoder) -> None:
    merged = wordpiece.encode("tokenization", "tokenization").merged()
    assert merged.labels == ("[CLS]", "tokenization", "[SEP]", "tokenization", "[SEP]")
    assert merged.sequences == (None, 0, None, 1, None)
    assert merged.members == ((0,), (1, 2), (3,), (4, 5), (6,))


@pytest.mark.parametrize("setup", WRITERS)
@settings(deadline=None, max_examples=25)
@given(
    text=READABLE,
    pair=st.none() | READABLE,
    room=st.integers(4, 60),
    seed=st.integers(0, 99),
    sink=st.sampled_from([0.0, 0.3, 0.999]),
)
def test_merging_keeps_row_sums_and_the_mass_of_words(
    encoders: dict[str, TextEncoder], setup: str, text: str, pair: str | None, room: int, seed: int, sink: float
) -> None:
    encoder = replace(encoders[setup], max_length=room)
    queries, keys = encoder.encode(text, pair), encoder.encode(f"a {text}")
    weights = random_rows(len(queries), len(keys), seed, sink)
    merged = merge(weights, queries, keys)
    rows, columns = queries.merged(), keys.merged()
    assert merged.shape == (2, len(rows), len(columns))
    np.testing.assert_allclose(merged.sum(-1), 1 - sink, rtol=1e-9)
    for place, members in enumerate(columns.members):
        mass = weights[:, :, members].sum((-1, -2))
        sizes = np.array([len(m) for m in rows.members])
        np.testing.assert_allclose((merged[:, :, place] * sizes).sum(-1), mass)
    assert [i for members in rows.members for i in members] == list(range(len(queries)))
    np.testing.assert_array_equal(merge(merged, rows, columns), merged)
    assert rows.merged() is rows
    as_tensor = merge(torch.tensor(weights), queries, keys)
    np.testing.assert_allclose(as_tensor.numpy(), merged, rtol=1e-12)
    assert merge(torch.tensor(weights).float(), queries, keys).dtype == torch.float32


@pytest.mark.parametrize("setup", WRITERS)
@settings(deadline=None, max_examples=25)
@given(text=READABLE, pair=st.none() | READABLE)
def test_units_are_the_words_of_the_text(
    encoders: dict[str, TextEncoder], setup: str, text: str, pair: str | None
) -> None:
    try:
        tokens = encoders[setup].encode(text, pair)
    except HeadlightError:
        return
    merged = tokens.merged()
    assert len(merged) == len(merged.labels) == len(merged.kinds)
    assert all(merged.labels)
    assert [s is None for s in merged.sequences] == list(merged.special)
    assert len(set(merged.words) - {None}) == sum(not s for s in merged.special)
    for members, span, special in zip(merged.members, merged.spans, merged.special, strict=True):
        spans = [s for i in members if (s := tokens.spans[i])]
        assert special == (span is None)
        assert special or (span[0] >= min(s[0] for s in spans) and span[1] == max(s[1] for s in spans))
    # A sign that is split over tokens is never split over words.
    for before, after in zip(merged.spans, merged.spans[1:], strict=False):
        assert before is None or after is None or after[0] >= before[1] or after[0] == 0


def test_masked_cells_are_those_of_which_nothing_could_be_seen() -> None:
    tokens = some_tokens([0, 1, 1, 2])
    causal = np.triu(np.ones((4, 4), dtype=bool), 1)
    expected = np.triu(np.ones((3, 3), dtype=bool), 1)
    np.testing.assert_array_equal(merge_masked(causal, tokens, tokens), expected)
    assert merge_masked(torch.tensor(causal), tokens, tokens).tolist() == expected.tolist()


def test_what_is_no_number_stays_visible() -> None:
    tokens = some_tokens([0, 0, 1])
    weights = np.full((3, 3), 1 / 3)
    weights[0, 0] = np.nan
    assert np.isnan(merge(weights, tokens, tokens)).tolist() == [[True, False], [False, False]]


def test_a_map_of_other_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\) do not fit 3 queries and 3 keys"):
        merge(np.zeros((2, 3)), some_tokens([0, 1, 2]), some_tokens([0, 1, 2]))
