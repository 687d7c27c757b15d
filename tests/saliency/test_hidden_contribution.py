"""α · w · h: exact sums for every kind of shipped classifier that sums up states by attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core.saliency import METHODS, Scores, ask, scores_of
from tests.saliency.asked import FILM, opened
from tests.sentences import refused

POOLING = [
    *(
        "sentiment-bilstm-additive-0",
        "sentiment-average-additive-0",
        "sentiment-bilstm-dot",
        "sentiment-bilstm-uniform",
    ),
    *("sentiment-cnn-additive", "sentiment-mlp-own", "sentiment-mlp-uniform", "sentiment-mlp-bilstm"),
    *("sentiment-mlp-adversary", "sentiment-adversary-1"),
]


def contribution(name: str, **asked: Any) -> tuple[Any, Scores]:
    """The question and its scores."""
    question = ask(opened(name), FILM, **asked)
    return question, scores_of(question, "hidden_contribution")


@pytest.mark.parametrize("scalar", ["margin", "logit"])
@pytest.mark.parametrize("name", POOLING)
def test_contributions_sum_to_the_answer_exactly(name: str, scalar: str) -> None:
    question, found = contribution(name, scalar=scalar)
    # The sum is in float64; what is left is the rounding of the model's own logits, in float32.
    assert found.values.sum() + found.rest == pytest.approx(question.value, abs=2e-6, rel=1e-6)
    assert found.completeness_delta == pytest.approx(0, abs=2e-6)


def test_a_contribution_is_the_weight_times_what_the_classifier_makes_of_the_state() -> None:
    question, found = contribution("sentiment-cnn-additive", by="token", scalar="logit", target=1)
    network, weights = question.model.network, question.trace.attention(0)[0, 0].double()
    with torch.no_grad():
        states = network.encoder(network.embedding(question.input_ids()), question.attention_mask().bool())[0]
        by_state = weights * network.classifier(states)[:, 1]  # the bias is weighted too
    expected = by_state - weights * network.classifier.bias.detach()[1]
    places = [group[0] for group in question.groups]
    assert found.values == pytest.approx(expected[places].numpy(), abs=1e-6)


def test_the_bias_and_special_tokens_are_the_rest() -> None:
    question, found = contribution("sentiment-bilstm-additive-0", scalar="logit", target=0)
    inside = {place for group in question.groups for place in group}
    assert len(inside) < len(question.tokens)
    assert found.rest == pytest.approx(question.value - found.values.sum(), abs=1e-6)


def test_the_other_label_has_the_opposite_margin() -> None:
    model = opened("sentiment-bilstm-additive-0")
    found = [scores_of(ask(model, FILM, target=label), "hidden_contribution").values for label in (0, 1)]
    assert np.allclose(found[0], -found[1])
    against = scores_of(ask(model, FILM, target=(0, 1)), "hidden_contribution").values
    assert np.allclose(against, found[0])


def test_a_probability_is_no_sum_of_states() -> None:
    with refused("choose the margin or the logit"):
        scores_of(ask(opened("sentiment-cnn-additive"), FILM, scalar="probability"), "hidden_contribution")


def test_a_transformer_is_sent_elsewhere() -> None:
    assert "another method" in METHODS["hidden_contribution"].refuse(opened("sentiment-transformer"))
