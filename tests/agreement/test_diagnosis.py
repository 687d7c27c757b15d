"""Known answers of what explains a low tau."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core import load
from core.agreement.diagnosis import conicity, diagnosis, evenness
from core.saliency import ask

TEXT = "A warm, funny film that nobody should miss."


def test_states_that_point_one_way_have_a_conicity_of_one():
    assert conicity(torch.tensor([[1.0, 2.0], [2.0, 4.0]]).double()) == pytest.approx(1)
    assert conicity(torch.eye(2).double()) == pytest.approx(math.sqrt(0.5))
    assert math.isnan(conicity(torch.tensor([[1.0, 0.0], [-1.0, 0.0]])))
    thirds = torch.tensor([[0.1, 0.3], [0.2, 0.6], [-0.3, -0.9]], dtype=torch.float64)
    assert bool(thirds.mean(dim=0).any())
    assert math.isnan(conicity(thirds))


def test_evenness_runs_from_one_word_to_all():
    assert evenness(np.full(7, 1 / 7)) == pytest.approx(1)
    assert evenness(np.array([0.0, 1.0, 0.0])) == 0
    assert math.isnan(evenness(np.ones(1)))


def test_uniform_attention_is_even():
    question = ask(load("sentiment-bilstm-uniform"), TEXT)
    single = np.array([len(group) for group in question.groups])
    found = diagnosis(question)
    assert found.largest == pytest.approx(single.max() / single.sum())
    assert found.entropy > 0.95


@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-transformer", "en-fr-transformer"])
def test_every_kind_of_model_is_diagnosed(name: str):
    found = diagnosis(ask(load(name), TEXT))
    assert 1 / found.n <= found.largest <= 1
    assert 0 <= found.entropy <= 1
    assert -1e-6 <= found.elsewhere < 1
    assert math.isnan(found.conicity) or -1 <= found.conicity <= 1
