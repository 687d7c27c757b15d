"""Attention judged by gold links, beside the diagonal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alignment import GOLD, diagonal, error_rate, judge
from core.alignment.gold import GoldPair
from core.capture import WordWeights, word_weights
from core.capture.word_groups import groups_of
from core.errors import HeadlightError
from tests.capture.word_traces import one_hot_trace, pieces, read_and_produced
from tests.sentences import refused

PAIRS = [pytest.param(pair, id=pair.target_text) for pairs in GOLD.values() for pair in pairs]


def weights_of(matrix: list[list[float]], end_rows: set[int] = frozenset(), end_columns: set[int] = frozenset()):
    array = np.array(matrix, dtype=np.float32)
    rows, columns = array.shape
    return WordWeights(
        array, ("r",) * rows, ("c",) * columns, tuple((row,) for row in range(rows)), frozenset(end_rows),
        frozenset(end_columns),
    )  # fmt: skip


def test_attention_that_links_what_gold_links_is_perfect_and_not_beaten() -> None:
    judged = judge(weights_of([[0.1, 0.9], [0.8, 0.2]]), {(0, 1), (1, 0)}, {(0, 1), (1, 0)})
    assert judged.links == {(0, 1), (1, 0)}
    assert (judged.attention.error, judged.diagonal.error) == (0, 1)
    assert not judged.is_beaten


def test_attention_that_is_worse_than_the_diagonal_is_beaten_and_as_good_is_not() -> None:
    gold = {(0, 0), (1, 1)}
    assert judge(weights_of([[0.1, 0.9], [0.8, 0.2]]), gold, gold).is_beaten
    assert not judge(weights_of([[0.9, 0.1], [0.2, 0.8]]), gold, gold).is_beaten


def test_special_tokens_are_no_words_wherever_they_stand() -> None:
    """<s>, two words, </s> on both sides; the first word looks at </s> most, the second at the first."""
    matrix = [[1, 0, 0, 0], [0, 0.1, 0.2, 0.7], [0, 0.9, 0.1, 0], [0, 0, 0, 1]]
    judged = judge(weights_of(matrix, {0, 3}, {0, 3}), {(1, 0)}, {(1, 0), (0, 1)})
    assert judged.links == {(1, 0)}
    assert (judged.attention.error, judged.attention.recall) == (0, 1)
    assert judged.diagonal == error_rate({(0, 0), (1, 1)}, {(1, 0)}, {(1, 0), (0, 1)})


def test_a_word_without_a_row_is_missed_by_attention_alone() -> None:
    gold = {(0, 0), (1, 1)}
    judged = judge(weights_of([[0.9, 0.1]]), gold, gold)
    assert (judged.attention.recall, judged.attention.precision) == (0.5, 1)
    assert judged.diagonal.error == 0


def test_links_of_other_words_are_refused() -> None:
    with refused("source word 3 of 2"):
        judge(weights_of([[0.9, 0.1]]), set(), {(0, 2)})
    with pytest.raises(HeadlightError, match="sure links"):
        judge(weights_of([[0.9, 0.1]]), {(0, 1)}, {(0, 0)})


def test_nothing_to_judge_beats_nobody() -> None:
    judged = judge(weights_of([[0.1, 0.9]], {0}), set(), set())
    assert math.isnan(judged.attention.error)
    assert not judged.is_beaten


def test_the_diagonal_links_each_row_to_the_column_as_far_along() -> None:
    assert diagonal(3, 3) == {(0, 0), (1, 1), (2, 2)}
    assert diagonal(2, 4) == {(0, 1), (1, 3)}
    assert diagonal(4, 2) == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert diagonal(3, 0) == diagonal(0, 3) == set()


@given(st.integers(1, 40), st.integers(1, 40))
def test_the_diagonal_never_goes_back_and_is_the_same_read_from_the_end(rows: int, columns: int) -> None:
    places = [column for _, column in sorted(diagonal(rows, columns))]
    assert len(places) == rows
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] < columns
    if columns % 2 and rows % 2:
        assert places[rows // 2] == columns // 2


@pytest.mark.parametrize("pair", PAIRS)
def test_attention_on_the_gold_links_is_perfect_by_the_words_of_the_pair(pair: GoldPair) -> None:
    """Each piece of a target word looks at the last piece of a source word that it is linked to."""
    partner = dict(sorted(pair.possible)) | dict(sorted(pair.sure))
    source = groups_of(pieces().encode(pair.source_text), pair.source)
    target = groups_of(read_and_produced(pair.target_text)[1], pair.target)
    columns = {row: source[partner[word]].tokens[-1] for word, group in enumerate(target[:-1]) for row in group.tokens}
    columns[target[-1].tokens[0]] = source[-1].tokens[0]
    trace = one_hot_trace(pair.source_text, pair.target_text, [columns[row] for row in range(len(columns))])
    words = word_weights(trace, None, None, source_words=pair.source, target_words=pair.target)
    assert (words.rows, words.columns) == ((*pair.target, "</s>"), (*pair.source, "</s>"))
    judged = judge(words, pair.sure, pair.possible)
    assert judged.links == set(partner.items())
    assert judged.attention.precision == 1
    assert not judged.is_beaten
