"""Gradient × attention and Chefer's relevance against what is written out here with whole matrices."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from core.capture import record_gradients
from core.saliency import Question, Scores, ask, explain_all, scores_of
from core.saliency.gradient import chefer
from core.saliency.gradient.walking import walked_back
from core.saliency.reading import reading_of
from core.saliency.runner import Runner
from tests.saliency.asked import FILM, SHIPPED, opened

SPOKEN = ("en-fr-transformer", "en-fr-gru-bahdanau", "en-fr-lstm-luong")
ATTENTIVE = ("sentiment-bilstm-additive-0", "sentiment-transformer", "sentiment-minilm-lora", *SPOKEN, "lm-rotary")


def question_to(name: str) -> Question:
    return ask(opened(name), FILM, by="token", **SHIPPED[name])


def eager_gradients(question: Question, field: str) -> list[tuple[Tensor, Tensor]]:
    """(A, dF/dA) of each layer, both (H, T, S), as autograd has them in an eager copy that returns its weights."""
    network: Any = copy.deepcopy(question.model.network).requires_grad_(True)
    network.set_attn_implementation("eager")
    inputs = {k: v for k, v in question.model.inputs(question.reading).items() if k in question.model.accepted}
    answer = network(**inputs, output_attentions=True)
    value = question.reader.scalar(answer, question.attention_mask()).sum()
    maps = list(answer[field])
    found = torch.autograd.grad(value, maps, materialize_grads=True)
    return [(a.detach()[0].double(), g[0].double()) for a, g in zip(maps, found, strict=True)]


def averaged(pairs: list[tuple[Tensor, Tensor]]) -> list[Tensor]:
    """Ā of each layer: (T, S)."""
    return [(weights * gradient).clamp_min(0).mean(dim=0) for weights, gradient in pairs]


def relevance(layers: list[Tensor]) -> Tensor:
    """R of one stack, with all its products: (T, T)."""
    total = torch.eye(layers[0].shape[0], dtype=torch.float64)
    for attention in layers:
        total = total + attention @ total
    return total


def normalised(relevances: Tensor) -> Tensor:
    """R̂: without the identity, each row divided by its sum where it has one, with the identity again."""
    eye = torch.eye(len(relevances), dtype=torch.float64)
    rest = relevances - eye
    sums = rest.sum(dim=-1, keepdim=True)
    return torch.where(sums > 0, rest / sums.clamp_min(1e-300), rest) + eye


def scored(question: Question, method: str) -> Tensor:
    scores = scores_of(question, method)
    assert isinstance(scores, Scores)
    return torch.tensor(scores.values)


def close(found: Tensor, expected: Tensor) -> bool:
    return bool((found - expected).abs().max() <= 1e-5 * max(1.0, float(expected.abs().max())))


@pytest.mark.parametrize("name", ["sentiment-transformer", "sentiment-minilm-lora", "lm-rotary"])
def test_gradient_x_attention_is_the_last_layer_s_mean_over_heads(name: str) -> None:
    question = question_to(name)
    weights, gradient = eager_gradients(question, "attentions")[-1]
    expected = (weights * gradient).mean(dim=0).sum(dim=0)
    assert close(scored(question, "gradient_x_attention"), expected[list(question.scored)])


def test_gradient_x_attention_of_a_translator_is_its_cross_attention() -> None:
    question = question_to("en-fr-transformer")
    weights, gradient = eager_gradients(question, "cross_attentions")[-1]
    expected = (weights * gradient).mean(dim=0).sum(dim=0)
    assert close(scored(question, "gradient_x_attention"), expected[list(question.scored)])


@pytest.mark.parametrize("name", ["sentiment-transformer", "sentiment-minilm-lora", "lm-rotary"])
def test_chefer_of_one_stack_is_the_row_of_the_whole_matrix(name: str) -> None:
    question = question_to(name)
    rows = list(reading_of(question).rows)
    whole = relevance(averaged(eager_gradients(question, "attentions")))
    expected = (whole - torch.eye(len(whole), dtype=torch.float64))[rows].mean(dim=0)
    assert close(scored(question, "chefer"), expected[list(question.scored)])


def test_chefer_of_two_stacks_is_the_row_of_the_cross_matrix() -> None:
    question = question_to("en-fr-transformer")
    names = ("encoder_attentions", "decoder_attentions", "cross_attentions")
    source, said, across = (averaged(eager_gradients(question, name)) for name in names)
    source_normal = normalised(relevance(source))
    total = torch.zeros(across[0].shape, dtype=torch.float64)
    for layer, attention in enumerate(across):
        total = total + said[layer] @ total
        total = total + normalised(relevance(said[: layer + 1])).T @ attention @ source_normal
    expected = total[list(question.word_rows)].mean(dim=0)
    assert expected.abs().max() > 0
    assert close(scored(question, "chefer"), expected[list(question.scored)])


def test_a_row_that_gains_nothing_gives_nothing_and_no_nan() -> None:
    empty = [lambda: torch.zeros(3, 3, dtype=torch.float64)]
    cross = [lambda: torch.full((3, 3), 0.25, dtype=torch.float64)]
    found = chefer.over_two_stacks(chefer.spread([1], 3), empty, empty, cross)
    assert torch.equal(found, torch.full((3,), 0.25, dtype=torch.float64))


@pytest.mark.parametrize("size", [1.0, 1e-14, 1e-30])
def test_relevance_is_the_same_shares_however_small_gradients_are(size: float) -> None:
    """To one layer the identity adds nothing, and so takes nothing from what is far smaller than one."""
    attention = torch.rand(4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).tril()
    layers, start = [lambda: size * attention], chefer.spread([3], 4)
    assert torch.allclose(chefer.carried(start, layers) / size, attention[3], atol=1e-12, rtol=0)
    assert torch.allclose(chefer.gained(layers, 4) / size, attention.sum(dim=-1), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ATTENTIVE)
def test_both_answer_in_one_pass_or_say_why_not(name: str) -> None:
    question = question_to(name)
    for found in explain_all(question, ["gradient_x_attention", "chefer"]):
        if isinstance(found, Scores):
            assert (found.forwards, found.backwards) == (1, 1)
            assert abs(found.values).max() > 0
        else:
            assert found.method == "chefer"
            assert "no Transformer" in found.sentence
    assert all(weight.grad is None for weight in question.model.network.parameters())


def test_chefer_is_never_negative_and_gradient_x_attention_changes_sign_with_the_target() -> None:
    model = opened("sentiment-transformer")
    first, second = (ask(model, FILM, target=index, by="token") for index in (0, 1))
    assert scored(first, "chefer").min() >= 0
    assert close(scored(first, "gradient_x_attention"), -scored(second, "gradient_x_attention"))


def test_pooling_weights_times_gradients_sum_to_the_slope_along_the_pooled_state() -> None:
    question = question_to("sentiment-bilstm-additive-0")
    network: Any = question.model.network
    seen: list[Tensor] = []
    hook = network.classifier.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    try:
        leaf = question.embeddings().requires_grad_()
        with record_gradients(network):
            value = question.score(leaf).sum()
    finally:
        hook.remove()
    (slope,) = torch.autograd.grad(value, seen[0])  # (1, D)
    scores = scores_of(question, "gradient_x_attention")
    assert scores.values.sum() + scores.rest == pytest.approx(float((slope * seen[0].detach()).sum()), rel=1e-4)


def test_no_graph_is_left_behind() -> None:
    question = question_to("sentiment-transformer")
    recording = walked_back(question, Runner(question))
    assert not any(recording.gradient(place).requires_grad for place in range(len(recording.calls)))
    assert recording.roots == []
