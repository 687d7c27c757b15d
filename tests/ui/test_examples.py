"""What the examples tell the reader to look at is true of the default model."""

from __future__ import annotations

import pytest
from torch import Tensor

from core.capture import Trace
from core.ui.examples import EXAMPLES, Example


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
