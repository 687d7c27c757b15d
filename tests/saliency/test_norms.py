"""Vectors of attention blocks: they sum to the block's own output, and their norms are Kobayashi's."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.saliency.decomposition.families import stack_of
from core.saliency.decomposition.vectors import block_vectors, by_rows, mixing, vector_norms
from tests.saliency.test_decomp_families import CLASSIFIERS, classifier, language_model, own_classifier, run_of


def output_of(module: nn.Module, network: nn.Module, tokens: int = 11) -> tuple[Any, Tensor]:
    """A run, and what a module gave in it: (T, D)."""
    seen: list[Tensor] = []
    handle = module.register_forward_hook(lambda _module, _read, given: seen.append(given))
    try:
        run = run_of(network, tokens)  # type: ignore[arg-type]
    finally:
        handle.remove()
    return run, seen[0][0]


@pytest.mark.parametrize("layer", [0, 2])
def test_vectors_and_constant_sum_to_the_block_s_own_output(layer: int) -> None:
    network = classifier("bert")
    run, output = output_of(network.bert.encoder.layer[layer].attention.output, network)
    vectors, constant = block_vectors(stack_of(network).layers[layer], run.states[layer], run.weights[layer], range(11))
    assert torch.allclose(vectors.sum(dim=1) + constant, output, atol=3e-6)


@pytest.mark.parametrize("layer", [0, 1])
def test_a_pre_ln_block_s_vectors_sum_to_what_its_feed_forward_norm_reads(layer: int) -> None:
    network = own_classifier("pre")
    read: list[Tensor] = []
    norm = network.encoder.layers[layer].around_feed_forward.norm
    handle = norm.register_forward_hook(lambda _module, given, _output: read.append(given[0]))
    run = run_of(network)
    handle.remove()
    vectors, constant = block_vectors(stack_of(network).layers[layer], run.states[layer], run.weights[layer], range(11))
    assert torch.allclose(vectors.sum(dim=1) + constant, read[0][0], atol=5e-6)


def test_norms_of_one_layer_are_the_formula_written_out() -> None:
    network = classifier("bert", num_hidden_layers=1)
    run = run_of(network, tokens=5)
    attention = network.bert.encoder.layer[0].attention
    hidden, weights, heads = run.states[0].double(), run.weights[0].double(), 4
    value, dense, norm = attention.self.value, attention.output.dense, attention.output.LayerNorm
    width = hidden.shape[1] // heads
    expected = torch.zeros(5, 5).double()
    for i in range(5):
        parts = []
        for j in range(5):
            vector = hidden[i] if i == j else torch.zeros_like(hidden[0])
            for h in range(heads):
                own = slice(h * width, (h + 1) * width)
                of_head = hidden[j] @ value.weight[own].double().T + value.bias[own].double()
                vector = vector + weights[h, i, j] * (of_head @ dense.weight[:, own].double().T)
            parts.append(vector)
        whole = torch.stack(parts).sum(dim=0) + dense.bias.double()
        deviation = (((whole - whole.mean()) ** 2).mean() + norm.eps) ** 0.5
        for j, vector in enumerate(parts):
            expected[i, j] = (norm.weight.double() * (vector - vector.mean()) / deviation).norm()
    found = by_rows(stack_of(network).layers[0], run.states[0], run.weights[0], range(5), vector_norms)
    assert torch.allclose(found.double(), expected, rtol=1e-5)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_some_rows_are_those_of_all_rows(kind: str) -> None:
    network = classifier(kind)
    run, layer = run_of(network), stack_of(network).layers[1]
    everything = by_rows(layer, run.states[1], run.weights[1], range(11), vector_norms)
    some = by_rows(layer, run.states[1], run.weights[1][:, [3, 7]], [3, 7], vector_norms)
    assert torch.allclose(some, everything[[3, 7]], rtol=1e-5)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    network = own_classifier("post")
    run, layer = run_of(network), stack_of(network).layers[1]
    whole = by_rows(layer, run.states[1], run.weights[1], range(11), vector_norms)
    monkeypatch.setattr("core.saliency.decomposition.vectors.MOST_NUMBERS", 1)
    assert torch.allclose(by_rows(layer, run.states[1], run.weights[1], range(11), vector_norms), whole, rtol=1e-5)


def test_a_decoder_s_later_tokens_bring_nothing() -> None:
    network = language_model()
    run, layer = run_of(network), stack_of(network).layers[1]
    found = by_rows(layer, run.states[1], run.weights[1], range(11), vector_norms)
    assert found.triu(1).abs().max() == 0


def test_mixing_is_nothing_for_one_token_and_a_share_for_more() -> None:
    network = classifier("bert")
    layer = stack_of(network).layers[0]
    alone, several = run_of(network, 1), run_of(network)
    assert by_rows(layer, alone.states[0], alone.weights[0], range(1), mixing).tolist() == [0.0]
    shares = by_rows(layer, several.states[0], several.weights[0], range(11), mixing)
    assert bool(((shares > 0) & (shares < 1)).all())
