"""Occlusion: each score is a difference of two passes that can be made by hand; a word's tokens go together."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM

from core import load
from core.errors import HeadlightError
from core.models.tokenizing import Characters, Specials, write_tokenizer
from core.saliency import METHODS, ask, explain, scores_of
from core.saliency.baselines import MEAN, default_baseline
from tests.saliency.asked import opened
from tests.tiny import network_of, tiny_config

LONG = "an unforgettable, charmingly overlong film"


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("occlusion_unknown", "sentiment-bilstm-additive-0"),
        ("occlusion_unknown", "lm-rotary"),
        ("occlusion_mask", "sentiment-minilm-lora"),
    ],
)
def test_a_score_is_what_the_answer_loses_when_a_token_takes_the_words_place(method: str, name: str) -> None:
    question = ask(opened(name), LONG)
    encoder = question.model.encoder
    token = encoder.mask_id if method == "occlusion_mask" else encoder.unknown_id
    found = scores_of(question, method)
    for number, group in enumerate(question.groups):
        ids = question.input_ids().clone()
        ids[0, list(group)] = token
        expected = question.value - float(question.score_ids(ids, question.attention_mask()))
        assert found.values[number] == pytest.approx(expected, abs=1e-4)
    assert found.forwards == len(question.groups) + 1


def test_a_token_that_the_model_has_no_embedding_for_hides_nothing(tmp_path: Path) -> None:
    letters = tuple("abcdefgh ")
    network = network_of(
        tiny_config("gpt2", vocab_size=len(letters), bos_token_id=None, eos_token_id=None), auto=AutoModelForCausalLM
    )
    network.save_pretrained(tmp_path)
    write_tokenizer(Characters(letters, Specials(unknown="")), tmp_path)
    model = load(str(tmp_path), device="cpu")
    assert model.encoder.unknown_id == len(letters)
    assert default_baseline(model) == MEAN
    refused = METHODS["occlusion_unknown"].refuse
    assert refused is not None
    assert "has no unknown token" in refused(model)


@pytest.mark.parametrize("name", ["sentiment-transformer", "sentiment-cnn-additive", "en-fr-transformer"])
def test_a_word_hidden_from_attention_is_its_column_of_the_mask(name: str) -> None:
    question = ask(opened(name), LONG)
    found = scores_of(question, "occlusion_attention")
    for number, group in enumerate(question.groups):
        mask = question.attention_mask().clone()
        mask[0, list(group)] = 0
        expected = question.value - float(question.score_ids(question.input_ids(), mask))
        assert found.values[number] == pytest.approx(expected, abs=1e-4)


def test_a_hidden_word_has_no_influence_at_all() -> None:
    question = ask(opened("sentiment-transformer"), LONG)
    mask, other = question.attention_mask().clone(), question.input_ids().clone()
    mask[0, list(question.groups[1])] = 0
    other[0, list(question.groups[1])] = 7
    same = question.score_ids(question.input_ids(), mask)
    assert float(question.score_ids(other, mask)) == pytest.approx(float(same), abs=1e-6)


def test_words_of_several_pieces_are_scored_once() -> None:
    question = ask(opened("sentiment-minilm-lora"), LONG)
    assert max(map(len, question.groups)) > 1
    assert len(scores_of(question, "occlusion_mask").values) == len(question.groups) < len(question.scored)


def test_models_without_the_token_or_the_mask_are_refused_in_words() -> None:
    recurrent = ask(opened("sentiment-bilstm-additive-0"), LONG)
    with pytest.raises(HeadlightError, match="no mask token"):
        scores_of(recurrent, "occlusion_mask")
    with pytest.raises(HeadlightError, match="one word after another"):
        scores_of(recurrent, "occlusion_attention")
    assert METHODS["occlusion_attention"].refuse(opened("sentiment-transformer")) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sentiment-bilstm-additive-0", "met the unknown token in place of words in training"),
        ("lm-rotary", "lm-rotary never met the unknown token"),
        ("sentiment-minilm-lora", "is not known"),
    ],
)
def test_whether_the_model_met_the_unknown_token_is_noted_of_that_model(name: str, words: str) -> None:
    note = explain(opened(name), "a dull film", "occlusion_unknown").note
    assert words in note
    assert name in note
    assert "our own" not in METHODS["occlusion_unknown"].about
