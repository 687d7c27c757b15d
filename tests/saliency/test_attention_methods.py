"""What is read of attention itself: rows, rollout against known numbers, flow by hand, value zeroing by a slow loop."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from core.capture import record
from core.errors import HeadlightError
from core.saliency import METHODS, ask, scores_of
from core.saliency.attention.flow import flow_of, layered
from core.saliency.attention.layer_runs import LayerRuns
from core.saliency.attention.rollout import roll, uniform_causal
from core.saliency.attention.value_zeroing import turned
from core.saliency.reading import head_scores, reading_of, row_scores
from core.saliency.runner import Runner
from tests.saliency.asked import FILM, SHIPPED, opened

OF_ATTENTION = [name for name, method in METHODS.items() if method.family == "attention" and name not in ("norms",)]


def one_row(tokens: int, row: int) -> Tensor:
    return torch.eye(tokens, dtype=torch.float64)[row]


@pytest.mark.parametrize(("layers", "tokens", "first"), [
    (1, 20, 0.03), (4, 20, 0.21), (6, 20, 0.37), (12, 20, 0.77), (24, 20, 0.99), (12, 50, 0.66),
])  # fmt: skip
def test_uniform_causal_attention_rolls_out_onto_the_first_token(layers: int, tokens: int, first: float):
    rolled = roll(one_row(tokens, tokens - 1), uniform_causal(tokens, layers))
    assert float(rolled[0]) == pytest.approx(first, abs=0.006)
    assert float(rolled.sum()) == pytest.approx(1)


def test_one_layer_rolls_out_as_itself_and_half_of_the_residual():
    attention = torch.softmax(torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)), -1)
    expected = (attention[2] + one_row(5, 2)) / 2
    assert roll(one_row(5, 2), [attention]) == pytest.approx(expected)


@pytest.mark.parametrize("name", SHIPPED)
def test_attention_methods_sum_to_one_where_they_are_shares(name: str):
    question = ask(opened(name), FILM, **SHIPPED[name])
    for method in ("attention", "rollout", "attention_without_first", "value_zeroing", "attention_flow", "alti"):
        if METHODS[method].refuse(question.model):
            continue
        found = scores_of(question, method)
        causal = method == "rollout" and "self" in question.trace.streams and name.startswith("lm-")
        assert found.values.sum() + found.rest == pytest.approx(0 if causal else 1, abs=1e-5), method


def test_the_head_of_a_bert_reads_its_first_token_and_ours_reads_all():
    bert = reading_of(ask(opened("sentiment-minilm-lora"), FILM))
    ours = reading_of(ask(opened("sentiment-transformer"), FILM))
    assert bert.rows == (0,)
    assert "[CLS]" in bert.words
    assert len(ours.rows) == len(ask(opened("sentiment-transformer"), FILM).tokens)


def test_a_decoder_is_read_in_its_last_row_and_a_translator_where_it_wrote_the_word():
    decoder = ask(opened("lm-rotary"), FILM)
    assert reading_of(decoder).rows == (len(decoder.tokens) - 1,)
    translator = ask(opened("en-fr-transformer"), FILM, answer="Un film très drôle.", target=1)
    read = reading_of(translator)
    assert read.stream == "cross"
    assert [translator.reading.produced.labels[row].strip("␣") for row in read.rows] == ["film"]


def test_the_weights_are_those_of_the_trace():
    question = ask(opened("sentiment-transformer"), FILM)
    by_hand = question.trace.attention(1, [3])[0].double().mean(dim=0)  # (T, S) -> (S,)
    assert head_scores(question, 1, 3) == pytest.approx(by_hand)
    assert row_scores(question, 1).shape == (4, len(question.tokens))


def test_what_a_word_receives_is_counted_over_the_queries_that_see_it():
    question = ask(opened("lm-rotary"), FILM, by="token")
    weights = question.trace.attention(1).double().mean(dim=0)  # (H, T, S) -> (T, S)
    tokens = len(weights)
    by_hand = weights.sum(dim=0) / torch.arange(tokens, 0, -1)
    places = [group[0] for group in question.groups]
    assert scores_of(question, "attention_received").values == pytest.approx(by_hand[places])
    flat = uniform_causal(tokens, 1)[0]
    # Without the division early tokens would win by construction: they are seen by more.
    assert float((flat.sum(dim=0) / torch.arange(tokens, 0, -1))[-1]) == pytest.approx(1 / tokens)


def test_flow_through_one_layer_is_its_row():
    attention = np.array([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    expected = (attention[1] + np.eye(3)[1]) / 2
    assert flow_of(layered([attention]), 3, 1, 1) == pytest.approx(expected, abs=1e-5)


def test_flow_takes_all_ways_and_no_more_than_the_narrowest_part():
    first = np.array([[1.0, 0.0], [1.0, 0.0]])
    second = np.array([[0.0, 1.0], [0.0, 1.0]])
    # Halved with the residual: from row 1 the second layer keeps all on token 1, of which the first gives half away.
    assert flow_of(layered([first, second]), 2, 2, 1) == pytest.approx([0.5, 0.5], abs=1e-5)


def test_a_long_text_is_too_much_for_flow():
    with pytest.raises(HeadlightError, match="at most"):
        scores_of(ask(opened("sentiment-transformer"), "word " * 80), "attention_flow")


def test_value_zeroing_is_what_a_layer_gives_without_the_value():
    model = opened("sentiment-transformer")
    question = ask(model, "A dull film.")
    network: Any = copy.deepcopy(model.network)
    layer, tokens = network.encoder.layers[1], len(question.tokens)
    with torch.no_grad():
        before = question.states(1)[1]
        clean = layer(before, None)[0][0]
        turns = torch.zeros(tokens, tokens, dtype=torch.float64)
        for token in range(tokens):
            handle = layer.self_attention.value.register_forward_hook(without(token))
            states = layer(before, None)[0][0]
            handle.remove()
            turns[:, token] = 1 - torch.cosine_similarity(states.double(), clean.double(), dim=-1)
    expected = turns / turns.sum(dim=-1, keepdim=True)
    assert turned(LayerRuns(question), 1, Runner(question)) == pytest.approx(expected, abs=2e-4)


def without(token: int) -> Any:
    """A hook that takes a token's value away."""

    def hook(_: Any, __: Any, values: Tensor) -> Tensor:
        values = values.clone()
        values[:, token] = 0
        return values

    return hook


def test_nobody_else_sees_a_value_that_is_taken_away():
    question = ask(opened("sentiment-transformer"), FILM)
    before = float(question.score(question.embeddings())[0])
    scores_of(question, "value_zeroing")
    with record(question.model.network):
        assert float(question.score(question.embeddings())[0]) == before


def test_attention_methods_ask_about_no_answer():
    model = opened("lm-rotary")
    one, other = (ask(model, FILM, target=target) for target in (5, 99))
    asked = [name for name in OF_ATTENTION if not METHODS[name].refuse(model)]
    assert {"attention", "attention_received", "attention_without_first", "rollout", "value_zeroing"} <= set(asked)
    for name in asked:
        assert scores_of(one, name).values == pytest.approx(scores_of(other, name).values), name
        assert not METHODS[name].class_specific


@pytest.mark.parametrize("name", [n for n in SHIPPED if n.startswith("sentiment-") and "additive" in n])
def test_contributions_of_states_sum_to_the_answer(name: str):
    for scalar in ("margin", "logit"):
        question = ask(opened(name), FILM, scalar=scalar)
        found = scores_of(question, "hidden_contribution")
        assert found.values.sum() + found.rest == pytest.approx(question.value, rel=1e-5)
        assert found.completeness_delta == pytest.approx(0, abs=1e-6)
