"""Gradient methods against Captum on the same model, and against answers that are known beforehand."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from captum.attr import GradientShap, InputXGradient, IntegratedGradients, NoiseTunnel, Saliency
from torch import Tensor

from core.agreement import agreement
from core.saliency import Question, Scores, ask, explain, scores_of
from core.saliency.gradient import gradient_shap, smoothgrad
from core.saliency.gradient.aggregation import aggregated
from tests.saliency.asked import DULL, FILM, GRADIENTS, SHIPPED, linear, opened, other_network

# A deep encoder, a decoder, a recurrent translator.
NAMES = ("sentiment-minilm-lora", "lm-rotary", "en-fr-gru-bahdanau")


def asked(name: str) -> Question:
    return ask(opened(name), DULL, by="token", **SHIPPED[name])


def of_groups(question: Question, values: Tensor) -> np.ndarray:
    """(T,) -> (groups,)."""
    return values[[group[0] for group in question.groups]].numpy()


def captum(question: Question, kind: type, **options: object) -> Tensor:
    """(T, E)."""
    leaf = question.embeddings().requires_grad_()
    return kind(lambda embedded: question.score(embedded)).attribute(leaf, **options)[0].detach().double()


@pytest.mark.parametrize("name", NAMES)
def test_gradient_norm_and_input_x_gradient_are_captum_s(name: str) -> None:
    question = asked(name)
    norm = captum(question, Saliency, abs=False).norm(dim=-1)
    product = captum(question, InputXGradient).sum(dim=-1)
    assert np.allclose(scores_of(question, "gradient_norm").values, of_groups(question, norm), atol=1e-6)
    assert np.allclose(scores_of(question, "input_x_gradient").values, of_groups(question, product), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_integrated_gradients_are_captum_s_and_complete(name: str) -> None:
    question = asked(name)
    scores = scores_of(question, "integrated_gradients")
    steps = int(scores.checks[0].split()[-2])
    expected = captum(question, IntegratedGradients, baselines=question.baseline_embeddings(), n_steps=steps)
    assert np.allclose(scores.values, of_groups(question, expected.sum(dim=-1)), atol=1e-5, rtol=1e-4)
    difference = question.value - float(question.score(question.baseline_embeddings())[0])
    assert scores.completeness_delta is not None
    assert scores.completeness_delta <= 0.01
    assert scores.values.sum() == pytest.approx(difference, rel=0.011, abs=1e-4)
    assert scores.values.sum() + scores.rest == pytest.approx(question.value, abs=0.011 * abs(difference) + 1e-4)
    assert scores.note == ""


@pytest.mark.parametrize("seed", [0, 1])
def test_smoothgrad_is_captum_s_mean_over_its_runs_with_the_jackknife_s_error(seed: int) -> None:
    question = asked("lm-rotary")
    embedded, runs = question.embeddings(), []
    for number in range(smoothgrad.RUNS):
        with torch.random.fork_rng():
            torch.manual_seed(seed * smoothgrad.RUNS + number)
            tunnel = NoiseTunnel(Saliency(question.score))
            sigma = smoothgrad.NOISE * float(embedded.std())
            leaf = embedded.clone().requires_grad_()
            run = tunnel.attribute(leaf, nt_samples=smoothgrad.SAMPLES, stdevs=sigma, abs=False)
        runs.append(run[0].double())
    scores, count = scores_of(question, "smoothgrad", seed=seed), len(runs)
    assert np.allclose(scores.values, of_groups(question, torch.stack(runs).mean(dim=0).norm(dim=-1)), atol=1e-5)
    without = [torch.stack(runs[:n] + runs[n + 1 :]).mean(dim=0).norm(dim=-1) for n in range(count)]
    each = np.stack([of_groups(question, values) for values in without])
    expected = np.sqrt((count - 1) / count * ((each - each.mean(axis=0)) ** 2).sum(axis=0))
    assert scores.error is not None
    assert np.allclose(scores.error, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentiment-minilm-lora", "sentiment-bilstm-additive-0"])
def test_smoothgrad_orders_twelve_words_alike_whatever_its_seed(name: str) -> None:
    """Noise that drowns the text does not: 15 % of the embeddings' range gave a tau of .5."""
    pair = {"text_pair": DULL} if name == "all-MiniLM-L6-v2" else {}
    question = ask(opened(name), "The old captain told a long story about the storm and laughed", **pair)
    assert len(question.groups) == 12
    one, other = (scores_of(question, "smoothgrad", seed=seed) for seed in (0, 1))
    assert agreement(one, other).tau >= 0.85
    assert one.error is not None
    assert 0 < one.error.max() < 0.25 * one.values.max()


def test_without_noise_smoothgrad_is_the_gradient_and_never_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoothgrad, "NOISE", 0.0)
    question = asked("sentiment-minilm-lora")
    scores = scores_of(question, "smoothgrad")
    assert np.allclose(scores.values, scores_of(question, "gradient_norm").values, rtol=1e-4)
    assert scores.error is not None
    assert scores.error.max() <= 1e-5 * scores.values.max()


def test_gradient_shap_is_captum_s_of_the_same_seeds_and_says_how_far_its_sum_is_off() -> None:
    question = asked("lm-rotary")
    embedded = question.embeddings()
    scores, runs = scores_of(question, "gradient_shap"), []
    for seed in range(gradient_shap.RUNS):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            np.random.seed(seed)
            run = captum(
                question,
                GradientShap,
                baselines=question.baseline_embeddings(),
                n_samples=gradient_shap.SAMPLES,
                stdevs=gradient_shap.NOISE * float(embedded.std()),
            )
        runs.append(of_groups(question, run.sum(dim=-1)))
    assert np.allclose(scores.values, np.mean(runs, axis=0), atol=1e-5)
    assert scores.error is not None
    assert np.allclose(scores.error, np.std(runs, axis=0, ddof=1) / len(runs) ** 0.5, atol=1e-5)
    assert scores.completeness_delta is not None
    assert scores.completeness_delta > 0.01
    assert f"The sum is {scores.completeness_delta:.1%} off after 80 random points" in scores.note


def test_of_a_linear_classifier_all_is_known_beforehand() -> None:
    model, weights = linear()
    found = {name: explain(model, DULL, name, target="positive", by="token") for name in GRADIENTS}
    question = ask(model, DULL, target="positive", by="token")
    embedded, baseline = question.embeddings()[0], question.baseline_embeddings()[0]  # (T, E)
    count = len(question.tokens)
    product = of_groups(question, embedded @ weights / count)
    change = of_groups(question, (embedded - baseline) @ weights / count)
    size = np.full(len(question.groups), float(weights.norm()) / count)
    for name in ("gradient_norm", "smoothgrad"):
        assert np.allclose(found[name].values, size, rtol=1e-4)
    assert found["smoothgrad"].error is not None
    assert found["smoothgrad"].error.max() <= 1e-6 * size[0]
    assert np.allclose(found["input_x_gradient"].values, product, atol=1e-5)
    assert np.allclose(found["integrated_gradients"].values, change, atol=1e-4)
    assert found["integrated_gradients"].completeness_delta == pytest.approx(0, abs=1e-3)
    shap = found["gradient_shap"]
    assert shap.error is not None
    assert (np.abs(shap.values - change) <= 5 * shap.error + 1e-4).all()


def test_aggregations_have_known_values() -> None:
    gradient, embedded = torch.tensor([[3.0, -4.0]]), torch.tensor([[1.0, 2.0]])
    found = {name: float(aggregated(gradient, embedded, name)) for name in ("l2", "l1", "dot", "absolute dot")}
    assert found == {"l2": 5.0, "l1": 7.0, "dot": -5.0, "absolute dot": 5.0}


def test_a_sum_that_is_never_right_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.saliency.method.ENOUGH", 0.0)
    monkeypatch.setattr("core.saliency.gradient.integrated_gradients.STEPS", (2, 4))
    scores = explain(opened("sentiment-transformer"), FILM, "integrated_gradients")
    assert "after 4 steps" in scores.note
    assert scores.forwards == 2 + 2 + 4


def test_random_methods_draw_the_same_in_every_thread_and_leave_other_numbers_alone() -> None:
    question = asked("lm-rotary")
    names = ("smoothgrad", "gradient_shap", "integrated_gradients") * 2
    state = torch.random.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        found: list[Scores] = list(pool.map(lambda name: scores_of(question, name), names))
    assert torch.equal(state, torch.random.get_rng_state())
    for one, other in zip(found[:3], found[3:], strict=True):
        assert np.allclose(one.values, other.values, atol=1e-6)


def test_gradients_in_the_weights_are_never_touched() -> None:
    model = opened("sentiment-transformer")
    network = copy.deepcopy(model.network).requires_grad_()
    for scores in (explain(other_network(model, network), DULL, name) for name in GRADIENTS):
        assert np.allclose(scores.values, explain(model, DULL, scores.method).values, atol=1e-5)
    assert all(weight.grad is None for weight in network.parameters())
