"""Decomposition of real questions: the shipped classifiers, language models, sentence pairs, and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
import torch

from core import load
from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.asking import ask
from core.saliency.decomposition import alti, decompx, norms
from core.saliency.decomposition.attention_blocks import Blocks, mixing_ratios
from core.saliency.decomposition.vectors import contributions
from core.saliency.explaining import scores_of
from core.saliency.method import Method, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner

TEXT = "The film is a delight, though its last act drags a little."
CLASSIFIERS = ("sentiment-minilm-lora", "sentiment-transformer")


@cache
def opened(name: str) -> Model:
    return load(name)


def raw_of(method: Method, question: Question) -> Raw:
    return method.run(question, Runner(question))


@pytest.mark.parametrize("scalar", ["margin", "logit"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_parts_sum_to_what_is_explained(name: str, scalar: str) -> None:
    question = ask(opened(name), TEXT, scalar=scalar)
    raw = raw_of(decompx.METHOD, question)
    assert float(raw.values.sum()) == pytest.approx(question.value, rel=1e-5)
    assert raw.delta == pytest.approx(0, abs=1e-5)
    assert "sum to" in raw.checks[0]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_against_each_other_have_opposite_parts(name: str) -> None:
    model = opened(name)
    one, other = (raw_of(decompx.METHOD, ask(model, TEXT, target=index)).values for index in (0, 1))
    assert torch.allclose(one, -other, atol=1e-9)


def test_the_parts_of_a_next_token_sum_to_its_lead_over_another() -> None:
    model = opened("lm-rotary")
    first, second = ask(model, "The cat sat on the").targets[:2]
    question = ask(model, "The cat sat on the", target=(first.index, second.index))
    assert float(raw_of(decompx.METHOD, question).values.sum()) == pytest.approx(question.value, rel=1e-4, abs=1e-5)


def test_words_and_special_tokens_together_make_the_margin() -> None:
    """The rest is what the special tokens got: all biases are shared."""
    question = ask(opened("sentiment-minilm-lora"), TEXT)
    scores = scores_of(question, "decompx")
    special = [place for place, is_special in enumerate(question.tokens.special) if is_special]
    assert float(scores.values.sum()) + scores.rest == pytest.approx(question.value, rel=1e-5)
    assert scores.rest == pytest.approx(float(raw_of(decompx.METHOD, question).values[special].sum()), abs=1e-6)


def test_probabilities_are_no_sums_of_logits() -> None:
    with pytest.raises(HeadlightError, match="choose the margin or the logit"):
        raw_of(decompx.METHOD, ask(opened("sentiment-transformer"), TEXT, scalar="probability"))


def test_a_model_without_a_head_has_no_logit(minilm: Model) -> None:
    assert "decomposes a logit" in decompx.METHOD.refuse(minilm)
    assert alti.METHOD.refuse(minilm) == norms.METHOD.refuse(minilm) == ""


@pytest.mark.parametrize("method", [decompx.METHOD, alti.METHOD, norms.METHOD], ids=lambda method: method.name)
@pytest.mark.parametrize("name", ["en-fr-transformer", "sentiment-bilstm-additive-0"])
def test_other_models_are_refused_in_one_sentence(method: Method, name: str) -> None:
    sentence = method.refuse(opened(name))
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_alti_of_a_classifier_is_the_product_of_its_layers() -> None:
    question = ask(opened("sentiment-minilm-lora"), TEXT)
    blocks = Blocks(question)
    product = torch.eye(len(question.tokens)).double()
    for layer in range(len(blocks)):
        product = blocks.measured(layer, contributions) @ product
    raw = raw_of(alti.METHOD, question)
    assert torch.allclose(raw.values, product[0])
    assert float(raw.values.sum()) == pytest.approx(1)


def test_a_pair_of_texts_is_read_by_all_rows(minilm: Model) -> None:
    raw = raw_of(alti.METHOD, ask(minilm, TEXT, text_pair="A lovely film."))
    assert float(raw.values.sum()) == pytest.approx(1)
    assert "mean over the rows" in raw.note


def test_mixing_ratios_are_shares_for_each_layer_and_token() -> None:
    question = ask(opened("sentiment-minilm-lora"), TEXT)
    ratios = mixing_ratios(question)
    assert ratios.shape == (6, len(question.tokens))
    assert bool(((ratios > 0) & (ratios < 1)).all())


def test_threads_that_share_a_model_do_not_mix_their_texts() -> None:
    questions = [
        ask(opened("sentiment-minilm-lora"), TEXT),
        ask(opened("sentiment-minilm-lora"), "Dull and far too long."),
    ]
    alone = [raw_of(decompx.METHOD, question).values for question in questions]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda question: raw_of(decompx.METHOD, question).values, questions * 4))
    for number, values in enumerate(together):
        assert torch.allclose(values, alone[number % 2], atol=1e-9)


def test_a_run_counts_its_one_pass() -> None:
    question = ask(opened("sentiment-transformer"), TEXT)
    runner = Runner(question)
    decompx.METHOD.run(question, runner)
    assert (runner.forwards, runner.backwards) == (1, 0)


def test_sixteen_bits_are_decomposed_in_thirty_two() -> None:
    question = ask(load("sentiment-transformer", dtype="bfloat16"), TEXT)
    raw = raw_of(decompx.METHOD, question)
    assert float(raw.values.sum()) == pytest.approx(question.value, rel=0.05)
