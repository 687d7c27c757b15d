"""Scores fit together or are refused, and say what is compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.saliency import Scores, explain
from core.saliency.method import merge
from core.saliency.target import LABEL, Target
from tests.saliency.asked import DULL, opened


@pytest.fixture(scope="module")
def scores() -> Scores:
    return explain(opened("sentiment-cnn-additive"), DULL, "input_x_gradient")


def test_what_is_signed_is_compared_by_its_size(scores: Scores) -> None:
    assert (scores.values < 0).any()
    assert np.array_equal(scores.comparable(), np.abs(scores.values))
    unsigned = replace(scores, signed=False, values=np.abs(scores.values))
    assert unsigned.comparable() is unsigned.values


def test_equal_values_order_nothing(scores: Scores) -> None:
    assert not scores.trivial
    assert replace(scores, values=np.ones(len(scores.groups))).trivial


def test_parts_that_do_not_fit_together_are_refused(scores: Scores) -> None:
    with pytest.raises(ValueError, match="values for"):
        replace(scores, values=scores.values[1:])
    with pytest.raises(ValueError, match="labels for"):
        replace(scores, labels=scores.labels[1:])
    with pytest.raises(ValueError, match="errors of shape"):
        replace(scores, error=np.ones(1))
    with pytest.raises(ValueError, match="not numbers"):
        replace(scores, values=np.full(len(scores.groups), np.nan))


def test_words_get_the_sum_or_the_largest_of_their_tokens() -> None:
    values = torch.tensor([9.0, 1.0, -3.0, 2.0, 9.0])
    assert merge(values, ((1, 2), (3,)), "sum").tolist() == [-2, 2]
    assert merge(values, ((1, 2), (3,)), "largest").tolist() == [-3, 2]


def test_targets_are_named_for_captions() -> None:
    no, yes = Target(LABEL, 0, "no"), Target(LABEL, 1, "yes")
    assert yes.words == "label “yes”"
    assert replace(yes, foil=no).words == "label “yes” against “no”"
    with pytest.raises(ValueError, match="mood"):
        Target("mood", 0, "sad")
