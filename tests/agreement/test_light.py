"""The light of erasure: green only where training is known to have had such holes."""

from __future__ import annotations

import math

import pytest

from core import load
from core.agreement.erasure import erasure
from core.agreement.light import light_of
from core.models.model import Model
from core.saliency import Question, ask

TEXT = "a charming film"


@pytest.fixture(scope="module")
def ours() -> Question:
    return ask(load("sentiment-bilstm-additive-0"), TEXT)


@pytest.fixture(scope="module")
def others() -> Question:
    """Of a language model that was trained without word dropout."""
    return ask(load("lm-english"), TEXT)


def test_unknown_words_are_familiar_to_a_model_trained_with_word_dropout(ours: Question) -> None:
    found = erasure(ours, [], orders=2)
    assert found.ood.level == "in"
    assert set(found.ood.numbers) == {"whole", "half", "none"}
    assert light_of(ours, "delete", 0.8, 0.7, 0.6).level == "watch"


def test_no_other_model_is_said_to_know_holes(others: Question) -> None:
    assert light_of(others, "unknown", 0.8, 0.7, 0.6).level == "watch"
    assert "was not trained on texts with such holes" in light_of(others, "unknown", 0.8, 0.7, 0.6).sentence
    assert "none left" not in light_of(others, "delete", 0.8, 0.7, math.nan).sentence


def test_a_model_that_is_sure_of_nothing_or_surer_of_less_is_out(others: Question) -> None:
    assert light_of(others, "unknown", 0.95, 0.9, 0.97).level == "out"
    assert light_of(others, "unknown", 0.6, 0.8, 0.5).level == "out"


def test_where_nobody_knows_the_training_the_light_says_so(minilm: Model) -> None:
    question = ask(minilm, TEXT, text_pair="a dull film")
    assert light_of(question, "mask", 1, 1, 1).numbers == {}
    assert "not known" in light_of(ask(load("sentiment-minilm-lora"), TEXT), "mask", 0.8, 0.7, 0.6).sentence
