"""Links and the alignment error rate: known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.alignment import AlignmentScore, corpus_error_rate, error_rate, links_of
from core.errors import HeadlightError

DIAGONAL = {(i, i) for i in range(4)}


def test_each_row_is_linked_to_its_largest_weight():
    weights = [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]
    assert links_of(weights) == {(0, 0), (1, 2)}
    assert links_of(np.array(weights, np.float16)) == {(0, 0), (1, 2)}


def test_of_equal_weights_the_first_is_linked():
    assert links_of(np.full((2, 3), 1 / 3)) == {(0, 0), (1, 0)}


def test_a_row_that_looks_at_the_end_of_the_source_has_no_link():
    weights = np.array([[0.1, 0.1, 0.8], [0.6, 0.2, 0.2]])
    assert links_of(weights, columns=[0, 1]) == {(1, 0)}


def test_a_row_with_nan_has_no_link_and_an_empty_matrix_none():
    assert links_of([[np.nan, 1.0], [0.0, 1.0]]) == {(1, 1)}
    assert links_of(np.zeros((0, 3))) == links_of(np.zeros((3, 0))) == set()


def test_weights_of_many_heads_are_refused():
    with pytest.raises(ValueError, match="3 dimensions"):
        links_of(np.zeros((2, 2, 2)))


def test_a_perfect_alignment_has_no_error():
    assert error_rate(DIAGONAL, DIAGONAL, DIAGONAL) == AlignmentScore(1.0, 1.0, 0.0)


def test_an_alignment_by_hand():
    predicted = {(0, 0), (1, 1), (2, 3)}
    sure, possible = {(0, 0), (2, 2)}, {(0, 0), (1, 1), (2, 2)}
    score = error_rate(predicted, sure, possible)
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(1 / 2)
    assert score.error == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_possible_links_are_allowed_but_not_missed():
    sure, possible = {(0, 0)}, {(0, 0), (0, 1), (1, 1)}
    assert error_rate({(0, 0)}, sure, possible).error == 0
    assert error_rate({(0, 0), (1, 1)}, sure, possible).error == 0


def test_the_direction_of_a_link_matters():
    source_first = {(col, row) for row, col in {(0, 1), (1, 2), (2, 0)}}
    assert error_rate({(0, 1), (1, 2), (2, 0)}, source_first, source_first).error == 1


def test_every_sure_link_must_be_possible():
    with pytest.raises(HeadlightError, match="1 of the sure links"):
        error_rate(DIAGONAL, {(0, 0), (9, 9)}, {(0, 0)})


def test_counts_are_summed_over_the_corpus_not_averaged():
    short = ({(0, 0)}, {(0, 1)}, {(0, 1)})
    long = (DIAGONAL, DIAGONAL, DIAGONAL)
    errors = [error_rate(*sentence).error for sentence in (short, long)]
    assert errors == [1.0, 0.0]
    assert corpus_error_rate([short, long]).error == pytest.approx(1 - 8 / 10)
    assert corpus_error_rate(iter([short, long])).precision == pytest.approx(4 / 5)


def test_links_without_gold_are_wrong_and_no_links_at_all_have_no_score():
    assert error_rate({(0, 0)}, set(), set()).error == 1
    nothing = corpus_error_rate([])
    assert all(map(math.isnan, (nothing.precision, nothing.recall, nothing.error)))
    assert math.isnan(error_rate(set(), DIAGONAL, DIAGONAL).precision)
