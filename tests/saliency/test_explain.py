"""Explaining: one method or many, the menu of methods, what each costs, and what each refuses."""

from __future__ import annotations

import copy
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from core.jobs import Cancelled, Job
from core.saliency import METHODS, Refused, Scores, ask, estimate, explain, explain_all, scores_of
from core.saliency.batches import texts_at_once
from core.saliency.runner import Runner
from tests.saliency.asked import DULL, FILM, GRADIENTS, SHIPPED, opened, other_network
from tests.sentences import is_one_sentence, refused

ORDER = (
    *("attention", "attention_received", "attention_max", "attention_without_first", "rollout", "attention_flow"),
    *("value_zeroing", "alti", "norms", "decompx", "hidden_contribution"),
    *GRADIENTS,
    *("gradient_x_attention", "chefer", "attnlrp"),
    *("occlusion_mask", "occlusion_unknown", "occlusion_attention", "deletion", "shapley"),
)


def changed(**tensors: float) -> Any:
    """The shipped CNN with one of its weights filled by a number."""
    model = opened("sentiment-cnn-additive")
    network = copy.deepcopy(model.network)
    with torch.no_grad():
        for name, value in tensors.items():
            network.get_parameter(name.replace("__", ".")).fill_(value)
    return other_network(model, network)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_method_answers_or_says_why_not(name: str) -> None:
    question = ask(opened(name), FILM, **SHIPPED[name])
    found = list(explain_all(question, [n for n in METHODS if METHODS[n].tier < 3]))
    for each in found:
        if isinstance(each, Refused):
            assert each.method not in GRADIENTS, each.sentence
            assert is_one_sentence(each.sentence), each.sentence
        else:
            assert each.labels == question.labels
            assert np.isfinite(each.values).all()
    assert sum(isinstance(each, Scores) for each in found) >= 6
    assert all(weight.grad is None for weight in question.model.network.parameters())


def test_each_score_comes_as_soon_as_it_is_ready() -> None:
    question = ask(opened("sentiment-cnn-additive"), DULL)
    first = next(iter(explain_all(question, ["gradient_norm", "no such method"])))
    assert isinstance(first, Scores)
    assert first.method == "gradient_norm"


def test_a_choice_that_a_method_does_not_use_is_not_named() -> None:
    scores = explain(opened("sentiment-cnn-additive"), DULL, "input_x_gradient")
    assert (scores.scalar, scores.baseline, scores.aggregation) == ("margin", "", "")
    norm = explain(opened("sentiment-cnn-additive"), DULL, "gradient_norm", aggregation="l1")
    assert (norm.scalar, norm.baseline, norm.aggregation) == ("margin", "", "l1")


def test_costs_are_what_was_told_before() -> None:
    question = ask(opened("sentiment-cnn-additive"), DULL)
    for scores in explain_all(question, GRADIENTS):
        assert isinstance(scores, Scores)
        told = METHODS[scores.method].cost(question)
        assert (scores.forwards, scores.backwards) == (told.forwards, told.backwards)
    assert 0 < estimate(question, ["gradient_norm"]) < estimate(question, GRADIENTS)
    for name, method in METHODS.items():
        assert estimate(question, [name], seeds=2) == estimate(question, [name]) * (2 if method.draws else 1)


def test_methods_draw_at_random_where_they_say_so() -> None:
    question = ask(opened("sentiment-transformer"), DULL)
    for name in (name for name, method in METHODS.items() if not method.refuse(question.model)):
        one, other = (scores_of(question, name, seed=seed) for seed in (0, 1))
        assert np.array_equal(one.values, other.values) != METHODS[name].draws, name
        assert (one.error is not None) == METHODS[name].draws, name


def test_a_method_tells_its_job_and_stops_when_asked() -> None:
    question, heard = ask(opened("sentiment-cnn-additive"), DULL), []
    list(explain_all(question, ["integrated_gradients"], Job("me", "saliency", heard.append)))
    assert heard
    assert heard[-1].done <= heard[-1].total
    job = Job("me", "saliency")
    job.cancel()
    with pytest.raises(Cancelled):
        list(explain_all(question, ["integrated_gradients"], job))


def test_an_unknown_method_is_refused_before_the_model_runs() -> None:
    with refused("no method called"):
        explain(opened("sentiment-cnn-additive"), DULL, "magic")


def test_answers_that_are_no_numbers_are_refused() -> None:
    with refused("not a number"):
        ask(changed(classifier__bias=float("nan")), DULL)


def test_gradients_that_are_no_numbers_are_refused() -> None:
    question = ask(opened("sentiment-cnn-additive"), DULL)
    runner = Runner(question)
    leaf = torch.zeros(1, requires_grad=True)
    with refused("gradient is not a number"):
        runner.grad(leaf.sqrt().sum() * 0, leaf)


def test_a_network_without_gradients_is_refused_by_gradients_alone() -> None:
    model = opened("sentiment-cnn-additive")
    network = copy.deepcopy(model.network)
    network.classifier.register_forward_hook(lambda module, given, answer: answer.detach())
    question = ask(other_network(model, network), DULL)
    found = dict(zip(GRADIENTS, explain_all(question, GRADIENTS), strict=True))
    assert all(isinstance(each, Refused) and "no gradient back" in each.sentence for each in found.values())
    assert isinstance(next(iter(explain_all(question, ["deletion"]))), Scores)


def test_a_network_that_answers_its_embeddings_otherwise_is_refused_by_gradients_alone() -> None:
    model = opened("sentiment-cnn-additive")
    network = copy.deepcopy(model.network)
    network.embedding.register_forward_hook(lambda module, given, answer: answer)
    forward = network.forward
    network.forward = lambda input_ids=None, attention_mask=None, inputs_embeds=None: forward(
        input_ids, attention_mask, None if inputs_embeds is None else 2 * inputs_embeds
    )
    question = ask(other_network(model, network), DULL)
    with refused("answers its embeddings otherwise"):
        scores_of(question, "gradient_norm")
    network.forward = lambda input_ids=None, attention_mask=None: forward(input_ids, attention_mask)
    question = ask(other_network(model, network), DULL)
    with refused("takes words only"):
        scores_of(question, "gradient_norm")


def test_one_word_is_scored_though_it_ranks_nothing() -> None:
    scores = explain(opened("sentiment-transformer"), "Good", "integrated_gradients")
    assert len(scores.values) == 1
    assert scores.trivial


def test_batches_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ask(opened("sentiment-minilm-lora"), DULL)
    at_once = explain(question.model, DULL, "integrated_gradients")
    monkeypatch.setattr("core.saliency.batches.MOST_TOKENS", {"cpu": (1, 1)})
    assert texts_at_once(question.model, 9, 0, True) == 1
    one_by_one = explain(question.model, DULL, "integrated_gradients")
    assert np.allclose(at_once.values, one_by_one.values, atol=1e-5)


def test_little_memory_makes_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened("sentiment-minilm-lora")
    monkeypatch.setattr("core.saliency.batches.free_nbytes", lambda device: 10 << 20)
    assert texts_at_once(model, 128, 0, True) == 1
    assert 1 <= texts_at_once(model, 128, 0, False) < 32


def test_aggregations_of_one_gradient_differ() -> None:
    question = ask(opened("sentiment-cnn-additive"), DULL)
    dotted = replace(question, aggregation="dot")
    norm, dot = (scores_of(each, "gradient_norm") for each in (question, dotted))
    assert norm.aggregation == "l2"
    assert dot.aggregation == "dot"
    assert not np.allclose(norm.values, dot.values)


def test_the_menu_has_every_method_in_its_order() -> None:
    assert [name for name in ORDER if name in METHODS] == list(METHODS)
    assert all(name == method.name and method.about.endswith(".") for name, method in METHODS.items())
    assert set(ORDER) == set(METHODS)


def test_the_menu_costs_no_torch() -> None:
    code = "import sys, core.saliency; assert not {'torch', 'captum', 'transformers', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("ignore:.*quantiz")
@pytest.mark.parametrize("name", ["sentiment-transformer", "sentiment-minilm-lora", "all-MiniLM-L6-v2", "lm-rotary"])
def test_a_quantised_model_has_no_gradient_and_keeps_the_rest(name: str) -> None:
    """Its residual would still pass something back, round the layers that pass nothing."""
    model = opened(name)
    layers = {torch.nn.Linear}
    network = torch.ao.quantization.quantize_dynamic(copy.deepcopy(model.network), layers, dtype=torch.qint8)
    quantised = other_network(model, network)
    question = ask(quantised, FILM, **SHIPPED.get(name, {}))
    given = dict(zip(METHODS, explain_all(question, list(METHODS)), strict=True))
    for method in METHODS.values():
        if method.family == "gradient" and not method.refuse(model):
            assert "pass no gradient back" in getattr(given[method.name], "sentence", ""), method.name
    for kept in ("attention", "rollout", "value_zeroing", "occlusion_attention", "occlusion_unknown", "deletion"):
        assert np.isfinite(given[kept].values).all(), kept
    assert METHODS["gradient_norm"].refuse(model) == ""
