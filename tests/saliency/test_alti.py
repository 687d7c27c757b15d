"""ALTI's contributions: rows of shares, by the L1 distance written out."""

from __future__ import annotations

import pytest
import torch
from transformers import PreTrainedModel

from core.saliency.decomposition.families import stack_of
from core.saliency.decomposition.vectors import block_vectors, by_rows, contributions
from tests.saliency.test_decomp_families import CLASSIFIERS, classifier, language_model, own_classifier, run_of


def networks() -> list[PreTrainedModel]:
    return [*map(classifier, CLASSIFIERS), own_classifier("pre"), own_classifier("post"), language_model()]


@pytest.mark.parametrize("tokens", [1, 11])
def test_rows_sum_to_one_in_each_family(tokens: int) -> None:
    for network in networks():
        run = run_of(network, tokens)
        for layer, states, weights in zip(stack_of(network).layers, run.states[:-1], run.weights, strict=True):
            rows = by_rows(layer, states, weights, range(tokens), contributions)
            assert rows.min() >= 0
            assert torch.allclose(rows.sum(dim=-1), torch.ones(tokens).double())


def test_contributions_are_the_formula_written_out() -> None:
    network = classifier("bert")
    run, layer = run_of(network, 5), stack_of(network).layers[1]
    vectors, constant = block_vectors(layer, run.states[1], run.weights[1], range(5))
    found = by_rows(layer, run.states[1], run.weights[1], range(5), contributions)
    for i in range(5):
        output = vectors[i].sum(dim=0) + constant[i]
        near = [max(0.0, float(output.abs().sum() - (output - vectors[i, j]).abs().sum())) for j in range(5)]
        assert found[i].tolist() == pytest.approx([each / sum(near) for each in near], abs=1e-5)


def test_a_row_in_which_nothing_comes_near_the_output_is_its_own() -> None:
    vectors, constant = torch.full((1, 3, 2), -1.0), torch.full((1, 2), 4.0)
    assert contributions(vectors, constant, torch.tensor([2])).tolist() == [[0, 0, 1]]


def test_a_token_that_brings_nothing_has_no_contribution_however_sums_are_rounded() -> None:
    draws = torch.Generator().manual_seed(0)
    vectors, constant = torch.randn(4, 7, 301, generator=draws), torch.randn(4, 301, generator=draws)
    vectors[:, 5:] = 0
    assert not contributions(vectors, constant, torch.arange(4))[:, 5:].any()
