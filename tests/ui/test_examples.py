"""What the examples tell the reader to look at is true of the default model."""

from __future__ import annotations

import pytest
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM

from core.capture import Trace
from core.ui.examples import EXAMPLES, MODEL, Example, example_with, examples_for
from tests.tiny import save_model


def opened(minilm, title: str) -> tuple[Trace, Tensor]:
    example: Example = next(e for e in EXAMPLES if e.title == title)
    trace = minilm.run(example.text)
    return trace, trace.attention(example.layer, [example.head])[0]


def weight(trace: Trace, attention: Tensor, query: str, key: str) -> float:
    labels = trace.tokens.labels
    return float(attention[labels.index(query), labels.index(key)])


def test_the_pronoun_gives_more_than_half_of_its_weight_to_the_animal(minilm):
    assert weight(*opened(minilm, "Pronoun"), "it", "animal") > 0.5


@pytest.mark.parametrize(("word", "noun"), [("old", "dog"), ("a", "cat"), ("small", "cat")])
def test_words_before_a_noun_look_at_it(minilm, word: str, noun: str):
    trace, attention = opened(minilm, "Noun phrases")
    row = attention[trace.tokens.labels.index(word)]
    assert trace.tokens.labels[int(row.argmax())] == noun


@pytest.mark.parametrize("title", ["Repeated words", "中文 and emoji"])
def test_every_word_looks_at_the_one_before_it(minilm, title: str):
    trace, attention = opened(minilm, title)
    own = range(2, len(trace.tokens) - 1)
    assert all(int(attention[i].argmax()) == i - 1 for i in own)


def test_repeated_words_are_rows_of_their_own(minilm):
    trace, _ = opened(minilm, "Repeated words")
    assert trace.tokens.labels.count("the") == 4


def test_most_of_the_chinese_example_is_unknown_to_the_model(minilm):
    trace, _ = opened(minilm, "中文 and emoji")
    signs = [
        unknown for label, unknown in zip(trace.tokens.labels, trace.tokens.unknown, strict=True) if label > "\u2000"
    ]
    assert sum(signs) > len(signs) / 2


def test_the_next_word_head_keeps_to_its_diagonal_in_a_longer_text(minilm):
    trace, attention = opened(minilm, "Longer text")
    assert 100 < len(trace.tokens) < 200
    assert float(attention.diagonal(1).mean()) > 0.4


def test_examples_have_names_of_their_own():
    for names in ([e.slug for e in EXAMPLES], [e.title for e in EXAMPLES], [e.text for e in EXAMPLES]):
        assert len(names) == len(set(names))
    assert all(example_with(example.text) is example for example in EXAMPLES)
    assert example_with("no example") is example_with(None) is None


@pytest.mark.parametrize(
    ("model", "first"),
    [
        (MODEL, "pronoun"),
        ("openai-community/gpt2", "pronoun"),
        ("SmolLM2-135M-Instruct", "pronoun"),
        ("reverse-additive-1", "pronoun"),
        ("en-fr-gru-bahdanau", "en-fr-adjectives"),
        ("Helsinki-NLP/opus-mt-en-fr", "en-fr-adjectives"),
        ("zh-en-transformer", "zh-en-cat"),
        ("Helsinki-NLP/opus-mt-zh-en", "zh-en-cat"),
        ("sentiment-bilstm-additive-0", "review-good"),
        ("distilbert-base-uncased-finetuned-sst-2-english", "review-good"),
        ("lm-english", "prompt-want"),
        ("lm-alibi", "prompt-want"),
    ],
)
def test_a_model_gets_the_examples_of_its_task(model: str, first: str):
    assert examples_for(model)[0].slug == first
    assert len({e.models for e in examples_for(model)}) == 1


@pytest.fixture
def translator(tmp_path, monkeypatch, byte_level) -> str:
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    save_model(tmp_path / "en-fr-tiny", "bart", AutoModelForSeq2SeqLM, byte_level)
    return "en-fr-tiny"


def test_another_model_opens_with_an_example_of_its_own(page, translator: str):
    page.open(model=MODEL, example="noun-phrases")
    page.tell(model=translator)
    shown = page.app.text_area(key="text").value
    assert shown == "The black cat is sleeping on the red chair."
    assert page.address["example"] == "en-fr-adjectives"
    assert page.choose_example("Negation").app.text_area(key="text").value == "I do not know where she lives."
    page.tell(model=MODEL)
    assert page.app.text_area(key="text").value == EXAMPLES[0].text


def test_what_the_reader_wrote_stays_when_the_model_changes(page, translator: str):
    page.open(model=MODEL).tell(text="my own words")
    assert page.tell(model=translator).app.text_area(key="text").value == "my own words"


def test_an_example_that_the_address_names_stays(page, translator: str):
    page.open(model=translator, example="pronoun")
    assert page.app.text_area(key="text").value == EXAMPLES[0].text


def test_a_model_alone_in_the_address_opens_with_its_own_example(page, translator: str):
    page.open(model=translator, talk="1")
    assert page.address["example"] == "en-fr-adjectives"
    titles = [button.label for button in page.app.button if str(button.key).startswith("example_")]
    assert titles == [example.title for example in examples_for(translator)]
