"""Sanity by random weights: what looks at the model falls to chance, what does not stays, the shared model is safe."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from core import load
from core.agreement.sanity import sanity, sanity_cost, sanity_of
from core.agreement.sanity_stages import Stage, draw_anew, stages_of
from core.jobs import Job
from core.saliency import Question, ask

TEXT = (
    "an utterly charming film that never loses its warmth although the second half drags a little and the music is loud"
)


@pytest.fixture(scope="module")
def question() -> Question:
    return ask(load("sentiment-bilstm-additive-0"), TEXT)


@pytest.fixture
def unchanged(question: Question) -> Iterator[None]:
    """Fails where a weight of the shared model has another bit afterwards."""
    before = {name: weight.clone() for name, weight in question.model.network.state_dict().items()}
    yield
    for name, weight in question.model.network.state_dict().items():
        assert torch.equal(weight, before[name]), name


def test_a_gradient_falls_to_chance_and_the_shared_model_stays(question: Question, unchanged: None) -> None:
    found = sanity(question, "gradient_norm")
    assert found.stages == ("head", "attention", "encoder", "embedding", "whole model")
    assert abs(found.tau[-1]) < found.band
    assert not found.survives


def test_what_ignores_the_model_survives(question: Question, unchanged: None) -> None:
    found = sanity_of(question, lambda asked: np.arange(len(asked.labels), dtype=np.float64))
    assert found.tau == pytest.approx([1.0] * 5)
    assert found.survives


def test_attention_below_the_head_does_not_depend_on_it() -> None:
    found = sanity(ask(load("sentiment-transformer"), TEXT), "attention")
    assert found.stages == ("head", "layer 1", "layer 0", "whole model")
    assert found.tau[0] == pytest.approx(1)
    assert abs(found.tau[-1]) < 0.5


def test_the_seed_draws_the_weights(question: Question) -> None:
    first, again, other = (sanity(question, "occlusion_unknown", seed=seed) for seed in (0, 0, 3))
    assert first.tau == again.tau != other.tau


@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-cnn-additive", "en-fr-transformer"])
def test_every_weight_is_in_one_stage(name: str) -> None:
    network = load(name).network
    names = [each for stage in stages_of(network) for each in stage.names]
    assert sorted(names) == sorted(each for each, _ in network.named_parameters())


def test_two_stacks_go_from_the_top_of_the_decoder_down() -> None:
    titles = [stage.title for stage in stages_of(load("en-fr-transformer").network)]
    assert titles[:2] == ["head", "decoder layer 2"]
    assert titles[-2:] == ["encoder layer 0", "whole model"]


def test_a_deep_stack_goes_several_layers_at_a_time() -> None:
    blocks = [torch.nn.Sequential(torch.nn.Linear(2, 2)) for _ in range(24)]
    network = torch.nn.ModuleDict({"layers": torch.nn.ModuleList(blocks), "head": torch.nn.Linear(2, 2)})
    titles = [stage.title for stage in stages_of(network)]
    assert titles == ["head", *(f"layers {top} to {top - 1}" for top in range(23, 0, -2)), "whole model"]


def test_new_weights_have_mean_and_spread_of_the_old() -> None:
    layer = torch.nn.Linear(200, 200)
    torch.nn.init.normal_(layer.weight, 3, 0.5)
    before = layer.weight.clone()
    draw_anew(layer, Stage("", ("weight",)), torch.Generator().manual_seed(0))
    assert not torch.equal(layer.weight, before)
    assert float(layer.weight.detach().mean()) == pytest.approx(3, abs=0.02)
    assert float(layer.weight.detach().std()) == pytest.approx(0.5, rel=0.02)


def test_the_cost_is_told_and_the_job_hears_of_each_stage(question: Question) -> None:
    heard: list[str] = []
    job = Job("me", "sanity", lambda progress: heard.append(progress.step))
    sanity(question, "gradient_norm", job)
    assert {"random head", "random whole model"} <= set(heard)
    cost = sanity_cost(question, "gradient_norm")
    assert cost.nbytes == sum(w.numel() * w.element_size() for w in question.model.network.parameters())
    assert cost.seconds > 0
