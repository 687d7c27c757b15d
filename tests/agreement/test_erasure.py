"""Erasure against answers known by hand, orders and their reverse, and what models allow."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from core import load
from core.agreement.columns import Column
from core.agreement.erasure import erasure, erasure_cost
from core.agreement.erasure_curves import height
from core.agreement.erasure_orders import order_of, random_orders, steps_of, top_count
from core.agreement.erasure_ways import ways_of
from core.errors import HeadlightError
from core.models.model import Model
from core.saliency import Question, ask, scores_of
from core.saliency.perturbation.versions import one_by_one, without

TEXT = "a dull film with one truly charming and moving scene"


@pytest.fixture(scope="module")
def bag() -> Model:
    """A mean of embeddings knows no order of words."""
    return load("sentiment-average-additive-0")


@pytest.fixture(scope="module")
def question(bag: Model) -> Question:
    return ask(bag, TEXT)


def column(question: Question, name: str, values: np.ndarray) -> Column:
    return Column(name, name, np.asarray(values, dtype=np.float64), question.labels, signed=True)


def test_the_order_by_effect_beats_random_orders_and_its_reverse_loses(question: Question) -> None:
    effect = scores_of(question, "occlusion_unknown").values
    found = erasure(question, [column(question, "own", effect), column(question, "against", -effect)])
    assert found.by == "unknown"
    own, against = found.numbers["own"], found.numbers["against"]
    assert own.deletion_area < -0.02 < 0.02 < against.deletion_area
    assert against.insertion_area < -0.02 < 0.02 < own.insertion_area
    assert own.comprehensiveness > found.chance.comprehensiveness > against.comprehensiveness
    assert own.sufficiency < found.chance.sufficiency < against.sufficiency
    np.testing.assert_allclose(found.curves["against"].deletion, found.reverse("own").deletion, atol=1e-6)


def test_points_are_the_probabilities_of_texts_made_by_hand(question: Question) -> None:
    values = np.arange(len(question.labels))[::-1]
    found = erasure(question, [column(question, "place", values)], orders=2)
    ids = question.input_ids().clone()
    ids[0, list(question.groups[0] + question.groups[1])] = question.model.encoder.unknown_id
    expected = float(question.probability_ids(ids, question.attention_mask()))
    curve = found.curves["place"]
    assert curve.deletion[2] == pytest.approx(expected, abs=1e-6)
    assert curve.deletion[0] == pytest.approx(question.probability, abs=1e-6) == curve.insertion[-1]
    assert curve.deletion[-1] == curve.insertion[0]


def test_random_orders_lie_around_their_own_mean_and_the_seed_draws_them(question: Question) -> None:
    first, again, other = (erasure(question, [], orders=6, seed=seed) for seed in (0, 0, 1))
    assert first.random.deletion.shape == (6, len(first.fractions))
    np.testing.assert_array_equal(first.random.deletion, again.random.deletion)
    assert not np.array_equal(first.random.deletion, other.random.deletion)
    assert first.chance.deletion_area == pytest.approx(0, abs=1e-9)


def test_methods_share_what_they_have_alike(question: Question) -> None:
    values = np.linspace(-1, 1, len(question.labels))
    one = erasure(question, [column(question, "a", values)], orders=3)
    both = erasure(question, [column(question, "a", values), column(question, "b", values * 2)], orders=3)
    assert one.forwards == both.forwards <= erasure_cost(question, 1, 3).forwards
    assert both.numbers["a"] == both.numbers["b"]


def test_flip_is_the_share_without_which_another_answer_wins(question: Question) -> None:
    effect = scores_of(question, "occlusion_unknown").values
    found = erasure(question, [column(question, "own", effect)], orders=2)
    flip, curve = found.numbers["own"].flip, found.curves["own"].deletion
    below = found.fractions[curve < 0.5]
    assert (flip == pytest.approx(below[0])) if len(below) else math.isnan(flip)


@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-transformer", "lm-english"])
def test_each_way_a_model_allows_gives_numbers(name: str) -> None:
    question = ask(load(name), "the film is dull")
    for way in ways_of(question.model):
        found = erasure(question, [column(question, "place", np.arange(len(question.labels)))], orders=2, by=way)
        assert found.by == way
        assert np.isfinite([found.numbers["place"].comprehensiveness, found.numbers["place"].deletion_area]).all()


def test_batches_of_texts_of_other_lengths_change_no_number() -> None:
    question = ask(load("sentiment-bilstm-additive-0"), TEXT)
    versions = without(question, [*one_by_one(question), frozenset(range(8))], "delete")
    together = question.probability_ids(versions.ids, versions.mask, versions.types)
    for row, mask in enumerate(versions.mask.bool()):
        alone = question.probability_ids(versions.ids[row : row + 1, mask], versions.mask[row : row + 1, mask])
        torch.testing.assert_close(together[row : row + 1], alone, atol=1e-6, rtol=0)


def test_ties_are_drawn_by_the_seed_alike_for_all_and_said(question: Question) -> None:
    assert order_of(np.array([1.0, 3, 2]), 0) == (1, 2, 0)
    ties = np.zeros(9)
    assert order_of(ties, 1) == order_of(ties + 5, 1) != order_of(ties, 2)
    found = erasure(question, [column(question, "flat", np.zeros(len(question.labels)))], orders=1)
    assert "drawn at random" in found.notes[0]


def test_steps_hold_both_ends_the_bins_and_their_counterparts() -> None:
    for n in (2, 10, 41, 300):
        steps = steps_of(n)
        assert steps[0] == 0
        assert steps[-1] == n
        assert {n - step for step in steps} == set(steps) >= {top_count(n, share) for share in (1, 5, 10, 20, 50)}
        assert all(a < b for a, b in pairwise(steps))
    assert len(steps_of(300)) < 60
    assert [top_count(5, share) for share in (1, 20, 50)] == [1, 1, 3]
    assert sorted(random_orders(5, 1, 0)[0]) == list(range(5))


def test_the_height_leaves_out_points_without_a_text() -> None:
    assert height(np.array([1.0, 0.5, math.nan]), np.array([0, 0.5, 1])) == 0.75


def test_one_word_and_ways_that_a_model_lacks_are_refused_in_words(bag: Model, question: Question) -> None:
    with pytest.raises(HeadlightError, match="at least two"):
        erasure(ask(bag, "dull"), [])
    with pytest.raises(HeadlightError, match="no mask token"):
        erasure(question, [], by="mask")
    with pytest.raises(HeadlightError, match="choose one of"):
        erasure(question, [], by="fire")
