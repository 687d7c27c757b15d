"""Value zeroing against a slow loop over hooked layers, on many architectures; the shared model is left alone."""

from __future__ import annotations

import copy
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import tokenizers
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from core.saliency import ask, scores_of
from core.saliency.attention.layer_runs import LayerRuns, layer_of, same_weights
from core.saliency.attention.value_zeroing import METHOD, turned
from core.saliency.question import Question
from core.saliency.runner import Runner
from tests.saliency.asked import FILM, opened, tiny
from tests.sentences import refused

SHORT = "A good film."
# Where the projection of the values is, and the layers.
ENCODERS = {
    "bert": ("bert.encoder.layer.{}", "attention.self.value"),
    "roberta": ("roberta.encoder.layer.{}", "attention.self.value"),
    "distilbert": ("distilbert.transformer.layer.{}", "attention.v_lin"),
    "electra": ("electra.encoder.layer.{}", "attention.self.value"),
}
DECODERS = {
    "llama": ("model.layers.{}", "self_attn.v_proj"),
    "opt": ("model.decoder.layers.{}", "self_attn.v_proj"),
}


def by_hand(question: Question, layer_path: str, value_path: str) -> Tensor:
    """Rows (T, T) of one layer: the whole network for each token, a hook on the values and one on what the layer gives.

    The network is a copy.
    """
    network: Any = copy.deepcopy(question.model.network)
    layer, seen = network.get_submodule(layer_path), []
    layer.register_forward_hook(lambda _, __, out: seen.append(out if isinstance(out, Tensor) else out[0]))
    inputs = question.model.inputs(question.reading)
    with torch.no_grad():
        network(**inputs)
        for place in range(len(question.tokens)):
            handle = layer.get_submodule(value_path).register_forward_hook(
                lambda _, __, values, place=place: values.index_fill(1, torch.tensor([place]), 0)
            )
            network(**inputs)
            handle.remove()
    clean, *changed = (states[0].double() for states in seen)
    turns = torch.stack([1 - torch.cosine_similarity(states, clean, dim=-1) for states in changed], dim=1)
    return turns.clamp_min(0) / turns.clamp_min(0).sum(dim=-1, keepdim=True)


@pytest.mark.parametrize("kind", [*ENCODERS, *DECODERS])
def test_a_layer_gives_what_it_gives_without_the_value(
    kind: str, tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    auto = AutoModelForSequenceClassification if kind in ENCODERS else AutoModelForCausalLM
    path, value = (ENCODERS | DECODERS)[kind]
    question = ask(tiny(tmp_path, kind, auto, byte_level), SHORT)
    layers = LayerRuns(question)
    assert len(layers) == question.trace.layers()
    for layer in (1, 2):
        found = turned(layers, layer, Runner(question))
        assert torch.allclose(found, by_hand(question, path.format(layer), value), atol=1e-4)
        assert torch.allclose(found.sum(dim=-1), torch.ones(len(found)).double())


@pytest.mark.parametrize("kind", ["albert", "modernbert"])
def test_shared_layers_and_windows_are_run_too(kind: str, tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    model = tiny(tmp_path, kind, AutoModelForSequenceClassification, byte_level)
    question = ask(model, SHORT)
    assert len(LayerRuns(question)) == question.trace.layers()
    found = scores_of(question, "value_zeroing")
    assert found.values.sum() + found.rest == pytest.approx(1)


def test_a_token_that_no_query_sees_turns_none() -> None:
    question = ask(opened("lm-rotary"), SHORT)
    found = turned(LayerRuns(question), 1, Runner(question))
    assert torch.equal(found.triu(1), torch.zeros_like(found))


def test_batches_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ask(opened("sentiment-minilm-lora"), FILM)
    at_once = METHOD.run(question, Runner(question)).values
    monkeypatch.setattr("core.saliency.batches.MOST_TOKENS", {"cpu": (40, 40)})
    assert torch.allclose(METHOD.run(question, Runner(question)).values, at_once, atol=1e-5)


def test_its_cost_is_what_was_told() -> None:
    question = ask(opened("sentiment-transformer"), FILM)
    assert scores_of(question, "value_zeroing").forwards == METHOD.cost(question).forwards


def test_the_network_that_others_share_is_not_touched() -> None:
    network = opened("sentiment-minilm-lora").network
    other = same_weights(network)
    pairs = list(zip(network.parameters(), other.parameters(), strict=True))
    assert all(mine is theirs for mine, theirs in pairs)
    assert all(mine is not theirs for mine, theirs in zip(network.modules(), other.modules(), strict=True))
    before = [len(module._forward_pre_hooks) for module in network.modules()]
    question = ask(opened("sentiment-minilm-lora"), FILM)
    LayerRuns(question)
    assert [len(module._forward_pre_hooks) for module in network.modules()] == before


def test_another_thread_that_runs_meanwhile_sees_its_own_values() -> None:
    question = ask(opened("sentiment-minilm-lora"), FILM)
    embeddings, answers = question.embeddings(), []

    def run() -> None:
        answers.extend(float(question.score(embeddings)[0]) for _ in range(10))

    thread = Thread(target=run)
    thread.start()
    METHOD.run(question, Runner(question))
    thread.join()
    assert answers == [answers[0]] * 10
    assert answers[0] == pytest.approx(question.value, abs=1e-5)


def test_a_layer_is_the_outermost_of_a_list() -> None:
    network = opened("sentiment-minilm-lora").network
    assert layer_of(network, "bert.encoder.layer.3.attention.self") is network.bert.encoder.layer[3]
    assert layer_of(network, "bert.pooler.dense") is None


def test_too_long_a_text_and_one_layer_over_an_rnn_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.saliency.attention.value_zeroing.MOST_TOKENS", 5)
    with refused("runs every layer once"):
        scores_of(ask(opened("sentiment-transformer"), FILM), "value_zeroing")
    with refused("self-attention alone"):
        scores_of(ask(opened("sentiment-bilstm-dot"), FILM), "value_zeroing")
