"""Shapley values by sampling: held to all subsets, to Captum, and to what they must sum to."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
import torch
from captum.attr import ShapleyValueSampling

from core.saliency import Question, ask, scores_of
from core.saliency.perturbation.shapley import ORDERS
from tests.saliency.asked import linear, opened

SIX = "a charming film with dull music"


def exact(question: Question) -> np.ndarray:
    """Of all subsets of the groups: (groups,)."""
    count = len(question.groups)
    sets = [frozenset(each) for size in range(count + 1) for each in combinations(range(count), size)]
    there = torch.zeros(len(sets), len(question.tokens), dtype=torch.bool)
    for row, members in enumerate(sets):
        for group in members:
            there[row, list(question.groups[group])] = True
    with torch.no_grad():
        found = question.score(torch.where(there[..., None], question.embeddings(), question.baseline_embeddings()))
    value = dict(zip(sets, found.double().tolist(), strict=True))
    return np.array(
        [
            sum(
                factorial(len(s)) * factorial(count - len(s) - 1) / factorial(count) * (value[s | {group}] - value[s])
                for s in sets
                if group not in s
            )
            for group in range(count)
        ]
    )


@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-transformer"])
def test_values_lie_within_their_error_of_those_of_all_subsets(name: str) -> None:
    question = ask(opened(name), SIX)
    found = scores_of(question, "shapley")
    assert len(found.values) == 6
    assert found.error is not None
    off = np.abs(found.values - exact(question))
    assert (off <= 3.5 * found.error + 1e-6).all()
    assert (found.error > 0).any()


@pytest.mark.parametrize("by", ["word", "token"])
def test_values_sum_to_the_change_of_the_answer(by: str) -> None:
    question = ask(opened("sentiment-transformer"), "an unforgettable, charmingly overlong film", by=by)
    found = scores_of(question, "shapley")
    assert found.values.sum() + found.rest == pytest.approx(question.value, abs=1e-5)
    baseline = float(question.score(question.baseline_embeddings())[0].detach())
    assert found.rest == pytest.approx(baseline, abs=1e-5)
    assert found.completeness_delta == pytest.approx(0, abs=1e-6)


def test_each_word_of_a_linear_model_gets_its_own_part_and_no_error() -> None:
    model, weight = linear()
    question = ask(model, SIX, baseline="zero")
    found = scores_of(question, "shapley")
    parts = (question.embeddings()[0] @ weight / len(question.tokens)).double().detach()  # (T, E) @ (E,) -> (T,)
    expected = [float(parts[list(group)].sum()) for group in question.groups]
    np.testing.assert_allclose(found.values, expected, atol=2e-4)
    assert found.error is not None
    assert found.error.max() < 2e-4


def test_captum_agrees_within_the_error() -> None:
    question = ask(opened("sentiment-bilstm-additive-0"), SIX)
    mask = torch.zeros(1, len(question.tokens), 1, dtype=torch.long)
    for number, group in enumerate(question.groups):
        mask[0, list(group)] = number + 1
    torch.manual_seed(0)
    with torch.no_grad():
        captums = ShapleyValueSampling(question.score).attribute(
            question.embeddings(), question.baseline_embeddings(), feature_mask=mask, n_samples=200
        )
    found = scores_of(question, "shapley")
    assert found.error is not None
    expected = np.array([float(captums[0, group[0], 0]) for group in question.groups])
    assert (np.abs(found.values - expected) <= 4 * found.error + 1e-2).all()


def test_the_passes_are_those_that_were_told_and_the_draw_is_the_seed_s() -> None:
    question = ask(opened("sentiment-bilstm-additive-0"), SIX)
    first, again, other = (scores_of(question, "shapley", seed=seed) for seed in (0, 0, 1))
    assert first.forwards == ORDERS * 5 + 2
    np.testing.assert_array_equal(first.values, again.values)
    assert not np.array_equal(first.values, other.values)


def test_one_word_gets_the_whole_change() -> None:
    question = ask(opened("sentiment-bilstm-additive-0"), "dull")
    found = scores_of(question, "shapley")
    assert found.values.sum() + found.rest == pytest.approx(question.value, abs=1e-5)
