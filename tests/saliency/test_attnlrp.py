"""AttnLRP: what its rules conserve, and that nobody else sees them."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from core.saliency import METHODS, Question, ask, scores_of
from core.saliency.gradient import attnlrp
from core.saliency.runner import Runner
from tests.saliency.asked import DULL, FILM, SHIPPED, opened, other_network
from tests.sentences import is_one_sentence


def without_biases() -> Question:
    """A question to the shipped Transformer without biases, positions, or the small number in its norms."""
    model = opened("sentiment-transformer")
    network: Any = copy.deepcopy(model.network)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if name.endswith("bias"):
                weight.zero_()
    network.encoder.positions.add = lambda states, places: states
    for module in network.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 0.0
    return ask(other_network(model, network), FILM, by="token")


def test_cp_lrp_conserves_exactly_without_biases() -> None:
    question = without_biases()
    found = attnlrp.relevance(question, Runner(question), through_scores=False)
    assert float(found.sum()) == pytest.approx(question.value, rel=1e-4, abs=1e-5)


def test_plain_input_x_gradient_does_not_conserve_there() -> None:
    question = without_biases()
    _, gradient = Runner(question).gradient(question.embeddings())
    plain = float((gradient * question.embeddings()).sum())
    assert abs(plain - question.value) > 0.05 * abs(question.value)


@pytest.mark.parametrize("name", ["sentiment-transformer", "en-fr-transformer", "lm-rotary", "lm-alibi"])
def test_the_rules_leave_the_answer_as_it_is(name: str) -> None:
    question = ask(opened(name), FILM, **SHIPPED[name])
    with torch.no_grad(), attnlrp.Rules():
        found = question.score(question.embeddings())
    assert float(found[0]) == pytest.approx(question.value, rel=1e-4, abs=1e-4)
    assert abs(scores_of(question, "attnlrp").values).max() > 0


def test_each_operand_of_a_product_gets_half() -> None:
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, 2, 5, 4, generator=generator).requires_grad_() for _ in range(3))
    plain = F.scaled_dot_product_attention(query, key, value).sum()
    expected = torch.autograd.grad(plain, (query, key, value))
    ruled = attnlrp.attention(True, query, key, value).sum()
    found = torch.autograd.grad(ruled, (query, key, value))
    assert float(ruled.detach()) == pytest.approx(float(plain.detach()), rel=1e-5)
    for got, full, share in zip(found, expected, (4, 4, 2), strict=True):
        assert torch.allclose(got * share, full, atol=1e-5)


def test_a_norm_s_own_scale_is_a_constant() -> None:
    states = torch.randn(2, 6, generator=torch.Generator().manual_seed(1)).requires_grad_()
    found = attnlrp.layer_norm(states, (6,), eps=0.0)
    assert torch.allclose(found, F.layer_norm(states, (6,), eps=0.0), atol=1e-6)
    weights = torch.arange(6.0)
    (slope,) = torch.autograd.grad((found * weights).sum(), states)
    assert torch.allclose((slope * states).sum(), (found * weights).sum(), atol=1e-5), "linear: it conserves"


def test_another_thread_sees_torch_as_it_is() -> None:
    states = torch.randn(1, 4)
    seen: list[Tensor] = []

    def other() -> None:
        leaf = states.clone().requires_grad_()
        (slope,) = torch.autograd.grad((F.layer_norm(leaf, (4,)) * torch.arange(4.0)).sum(), leaf)
        seen.append(slope)

    with attnlrp.Rules():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    other()
    assert torch.equal(seen[0], seen[1])


def test_input_x_gradient_is_the_same_before_and_after() -> None:
    question = ask(opened("sentiment-transformer"), DULL)
    before = scores_of(question, "input_x_gradient").values
    scores_of(question, "attnlrp")
    assert (scores_of(question, "input_x_gradient").values == before).all()


def test_other_models_are_refused_in_one_sentence() -> None:
    assert is_one_sentence(METHODS["attnlrp"].refuse(opened("sentiment-minilm-lora")))
    assert METHODS["attnlrp"].refuse(opened("sentiment-transformer")) == ""
