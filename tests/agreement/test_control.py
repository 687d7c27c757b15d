"""The control: attention that means nothing agrees with its own gradient, where a weight is a factor of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core import load
from core.agreement import agreement, baselines, head_map, matrix
from core.agreement.control import attention_of, control, gradient_of
from core.agreement.other_attention import permuted, under, uniform
from core.errors import HeadlightError
from core.saliency import ask, scores_of
from core.saliency.method import merge
from core.saliency.question import Question

TEXT = "A warm, funny film that I want to see again with everyone who ever doubted it would work at all."
_ASKED: dict[str, Question] = {}


def asked(name: str) -> Question:
    if name not in _ASKED:
        _ASKED[name] = ask(load(name), TEXT)
    return _ASKED[name]


def test_in_an_averaging_encoder_a_weight_is_a_factor_of_the_words_gradient():
    question = asked("sentiment-average-additive-0")
    order = torch.arange(len(question.scored)).flip(0)
    changed = permuted(question, order)
    own, other = uniform(question), changed
    flat = gradient_of(under(question, own), "gradient_norm")
    moved = gradient_of(under(question, other), "gradient_norm")
    # One token a word: under fixed weights the norm is the weight times what does not depend on it.
    single = [len(group) == 1 for group in question.groups]
    share = moved[single] / flat[single]
    assert share == pytest.approx(changed.words[single] * len(question.tokens), rel=1e-4)


def test_meaningless_attention_agrees_more_in_the_average_than_in_the_lstm():
    average, lstm = (control(asked(f"sentiment-{kind}-additive-0")) for kind in ("average", "bilstm"))
    assert average.mean > lstm.mean + 0.15
    assert lstm.beyond > average.beyond
    assert len(average.permuted) == 20


@pytest.mark.parametrize("name", ["sentiment-transformer", "lm-none", "sentiment-mlp-bilstm"])
def test_permuted_weights_are_those_of_the_model_in_another_order(name: str):
    question = asked(name)
    order = torch.randperm(len(question.scored), generator=torch.Generator().manual_seed(1))
    found = permuted(question, order)
    assert found.words.sum() == pytest.approx(attention_of(question).sum(), abs=0.5)
    before = float(question.score(question.embeddings())[0])
    assert float(under(question, found).score(question.embeddings())[0]) != pytest.approx(before, abs=1e-6)
    assert float(question.score(question.embeddings())[0]) == before


def test_the_same_order_changes_nothing():
    question = asked("sentiment-transformer")
    found = under(question, permuted(question, torch.arange(len(question.scored))))
    assert float(found.score(question.embeddings())[0]) == pytest.approx(question.value, abs=1e-4)
    assert gradient_of(question, "input_x_gradient").shape == (len(question.groups),)


def test_a_query_of_a_decoder_exchanges_only_what_it_sees():
    question = asked("lm-none")
    order = torch.randperm(len(question.scored), generator=torch.Generator().manual_seed(2))
    for change in permuted(question, order).changes:
        weights = change.kind
        assert isinstance(weights, torch.Tensor)
        assert float(weights.triu(1).abs().max()) == 0
        assert weights.sum(dim=-1) == pytest.approx(np.ones(len(weights)), abs=1e-5)


@pytest.mark.parametrize("method", ["integrated_gradients", "smoothgrad"])
@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-transformer"])
def test_gradients_of_many_copies_are_taken_under_the_permuted_weights(name: str, method: str):
    question = asked(name)
    found = control(question, gradient_method=method, draws=1)
    assert np.isfinite([found.own, *found.permuted]).all()


def test_special_tokens_never_enter_whatever_their_scores():
    question = asked("sentiment-transformer")
    special = sorted(set(range(len(question.tokens))) - set(question.scored))
    assert special
    row = torch.rand(len(question.tokens), dtype=torch.float64)
    huge = row.clone()
    huge[special] = 1e9
    assert torch.equal(merge(row, question.groups, "sum"), merge(huge, question.groups, "sum"))
    assert len(attention_of(question)) == len(question.groups) == control(question, draws=1).n


def test_translators_have_no_such_control():
    question = ask(load("en-fr-transformer"), "The black cat is sleeping.")
    with pytest.raises(HeadlightError, match="permutes self-attention or pooling"):
        control(question)


def test_each_head_is_compared_as_by_hand():
    question = asked("sentiment-transformer")
    scores = scores_of(question, "gradient_norm")
    found = head_map(question, scores)
    weights = question.trace.attention(1, [2])[0].double().mean(dim=0)  # every row is read
    words = np.array([float(weights[list(group)].sum()) for group in question.groups])
    from core.agreement.ranks import compare

    assert found.tau.shape == (2, 4)
    assert found.tau[1, 2] == pytest.approx(compare(words, scores.values).tau)
    assert np.nanmax(found.tau) == found.tau[found.best]


def test_the_matrix_is_symmetric_and_holds_baselines():
    question = asked("sentiment-bilstm-additive-0")
    scored = [scores_of(question, name) for name in ("attention", "gradient_norm", "input_x_gradient")]
    found = matrix([*scored, *baselines(question)])
    assert found.names == ("attention", "gradient_norm", "input_x_gradient", "position", "frequency", "length")
    assert np.allclose(found.tau, found.tau.T)
    assert np.allclose(np.diag(found.tau), 1)
    assert found.n == len(question.groups)
    assert found.tau[0, 1] == pytest.approx(agreement(scored[0], scored[1]).tau)
    assert list(found.magnitudes[0, 1:3]) == [0, 1]


def test_rarity_needs_words_that_are_known():
    from core.agreement.plain import rarity_of

    assert rarity_of(("猫", "追", "老鼠")) is None
    found = rarity_of(("the", "␣cat", "␣lighthouse"))
    assert found is not None
    assert list(np.argsort(found.values)) == [0, 1, 2]
