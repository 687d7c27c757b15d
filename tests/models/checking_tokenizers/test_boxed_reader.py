from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given, settings

from core.errors import HeadlightError
from core.models.checking_tokenizers import BoxedReader
from core.text import TextEncoder
from core.text.cleaning import replace_lone_surrogates
from core.text.fast import FastReader
from tests.models.checking_tokenizers.good_files import GOOD, byte_level, unigram, wordpiece
from tests.text.strategies import TEXTS

# Oniguruma looks first whether there is a y at all.
HANGS, HOPELESS = r"z*z*z*z*y", "z" * 250 + " y"


@pytest.fixture(scope="module")
def boxed() -> BoxedReader:
    return BoxedReader.opened(json.dumps(wordpiece()))


@pytest.fixture(scope="module")
def hanging() -> BoxedReader:
    return replace(BoxedReader.opened(json.dumps(byte_level(HANGS))), seconds=1.0)


def fast(make: Callable[[], dict[str, Any]]) -> FastReader:
    return FastReader.fixed(tokenizers.Tokenizer.from_str(json.dumps(make())))


@settings(max_examples=6, deadline=None)
@given(TEXTS)
@example("the [SEP] cat\ud800 sat, naïve 😀")
def test_it_reads_exactly_as_the_same_tokenizer_outside(boxed: BoxedReader, text: str) -> None:
    text, _ = replace_lone_surrogates(text)
    assert boxed.read(text, None) == fast(wordpiece).read(text, None)


def test_pairs_pieces_and_bytes_are_the_same_too(boxed: BoxedReader) -> None:
    outside = fast(wordpiece)
    assert boxed.read("the cat", "a sat.") == outside.read("the cat", "a sat.")
    assert boxed.pieces_of([0, 5, 99, -1]) == [*outside.pieces_of([0, 5, 99]), "⟨id=-1⟩"]
    assert replace(boxed, pieces=None).pieces_of([0, 5, 99]) == outside.pieces_of([0, 5, 99])
    assert boxed.bytes_of(["the", "cat", "##s", "[SEP]"]) == outside.bytes_of(["the", "cat", "##s", "[SEP]"])
    for name in ("special_names", "special_ids", "space_mark", "knows_words", "puts_space_first"):
        assert getattr(boxed, name) == getattr(outside, name)


@pytest.mark.parametrize("make", [unigram, byte_level])
def test_pieces_that_mark_spaces_become_bytes_without_a_box(make: Callable[[], dict[str, Any]]) -> None:
    outside = fast(make)
    inside = BoxedReader(json.dumps(make()), (), frozenset(), outside.space_mark, False, outside.puts_space_first, {})
    pieces = outside.pieces_of(range(3, 13))
    assert inside.bytes_of(pieces) == outside.bytes_of(pieces)


def test_a_text_on_which_it_hangs_is_told_in_a_sentence_and_others_are_read(hanging: BoxedReader) -> None:
    encoder = TextEncoder(hanging, None, 512)
    with ThreadPoolExecutor() as threads:
        stuck, well = threads.submit(encoder.encode, HOPELESS), threads.submit(encoder.encode, "the cat")
        assert well.result().text == "the cat"
        with pytest.raises(
            HeadlightError,
            match="took longer than 1 second of the processor on this text: try a shorter or another one",
        ):
            stuck.result()


def test_a_text_on_which_it_fails_is_told_too(boxed: BoxedReader) -> None:
    with pytest.raises(HeadlightError, match="The model's tokenizer fails on this text"):
        replace(boxed, specification="{}").read("the cat", None)


@pytest.mark.parametrize("content", ["{}", "", '{"model": 1}'])
def test_one_that_cannot_be_opened_is_refused(content: str) -> None:
    with pytest.raises(HeadlightError, match="failed in a way that nobody foresaw, so it is not used"):
        BoxedReader.opened(content)


def test_the_good_ones_are_of_all_kinds() -> None:
    assert {make()["model"]["type"] for make in GOOD.values()} == {"WordPiece", "Unigram", "BPE"}
