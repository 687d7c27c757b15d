"""The parts of a text give it back letter for letter, and each token lies in exactly one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from core.errors import HeadlightError
from core.heads import Filters
from core.heads.axes import axis_of_tokens
from core.text import TextEncoder, Tokens, byte_encoder, encoder_of
from core.text.cleaning import replace_lone_surrogates
from core.views.text_parts import LONGEST_REST, NO_TOKEN, Part, side_of
from tests.byte_level import SETUPS
from tests.text.setups import WRITERS, open_setup
from tests.text.strategies import TEXTS

READABLE = TEXTS.filter(lambda text: not replace_lone_surrogates(text)[0].isspace())
FILTERS = [Filters(), Filters(words=True), Filters(special="hide"), Filters(words=True, special="hide")]


@pytest.fixture(scope="module")
def encoders() -> dict[str, TextEncoder]:
    return {name: TextEncoder.fix(make(), None, 4096) for name, make in SETUPS.items()}


def parts_of(tokens: Tokens, filters: Filters = FILTERS[0]) -> list[tuple[Part, ...]]:
    return list(side_of(tokens, axis_of_tokens(tokens, filters)).blocks)


def texts(block: tuple[Part, ...]) -> list[str]:
    return [part.text for part in block if part.kind != "special"]


def check(tokens: Tokens, filters: Filters) -> None:
    axis = axis_of_tokens(tokens, filters)
    side = side_of(tokens, axis)
    for block, text in zip(side.blocks, filter(None, (tokens.text, tokens.text_pair)), strict=True):
        assert "".join(texts(block)) == text
    found = [part for block in side.blocks for part in block if part.index != NO_TOKEN]
    assert sorted(part.index for part in found) == list(range(len(side.parts)))
    assert sum(part.tokens for part in found) == sum(axis.sizes)
    assert [part.place for part in found] == sorted(part.place for part in found)
    assert side.words == tuple(i for i, own in enumerate(side.parts) for _ in range(own.start, own.stop))


@settings(deadline=None)
@given(text=READABLE)
@pytest.mark.parametrize("setup", SETUPS)
def test_parts_of_byte_level_tokens_give_the_text_back(encoders: dict[str, TextEncoder], setup: str, text: str):
    for filters in FILTERS:
        check(encoders[setup].encode(text), filters)


@settings(deadline=None)
@given(text=TEXTS.map(lambda text: f"a {text}"))
def test_parts_of_word_pieces_and_pairs_give_both_texts_back(minilm, text: str):
    for filters in FILTERS:
        check(minilm.encoder.encode(text, f"b{text}"), filters)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TextEncoder]:
    """An encoder of each kind of tokenizer that published models have."""
    return {name: encoder_of(open_setup(name, tmp_path_factory.mktemp("tokenizer")), 4096) for name in WRITERS}


@settings(deadline=None, max_examples=30)
@given(text=TEXTS)
@pytest.mark.parametrize("setup", WRITERS)
def test_parts_of_every_kind_of_tokenizer_give_the_text_back(published: dict[str, TextEncoder], setup: str, text: str):
    try:
        tokens = published[setup].encode(text)
    except HeadlightError:
        return
    for filters in FILTERS:
        check(tokens, filters)


@settings(deadline=None)
@given(text=READABLE)
def test_parts_of_single_bytes_give_the_text_back(text: str):
    check(byte_encoder().encode(text), FILTERS[0])


def test_the_bytes_of_one_sign_are_one_part(encoders: dict[str, TextEncoder]):
    tokens = encoders["plain"].encode("🦉 猿")
    assert len(tokens) > 4
    (block,) = parts_of(tokens)
    assert block[0].text.startswith("🦉")
    assert "猿" in block[-1].text
    assert block[0].tokens > 1


def test_special_tokens_stand_at_their_place_and_go_when_they_are_hidden(minilm):
    tokens = minilm.encoder.encode("one two", "three")
    first, second = parts_of(tokens)
    assert [(part.text, part.kind) for part in first] == [
        ("[CLS]", "special"),
        ("one", ""),
        (" ", ""),
        ("two", ""),
        ("[SEP]", "special"),
    ]
    assert [part.text for part in second] == ["three", "[SEP]"]
    hidden = parts_of(tokens, Filters(special="hide"))
    assert [part.index for part in hidden[0]] == [0, NO_TOKEN, 1]


def test_unknown_characters_are_marked(minilm):
    (block,) = parts_of(minilm.encoder.encode("a 猫 b"))
    assert [part.kind for part in block if part.text == "猫"] == ["unknown"]


def test_a_long_rest_that_was_not_read_is_cut_and_said(minilm):
    tokens = replace(minilm.encoder.encode("one"), text="one" + " more" * 1000)
    (block,) = parts_of(tokens)
    assert block[-1].index == NO_TOKEN
    assert block[-1].text.endswith(f"…[{5000 - LONGEST_REST:,} more]")


def test_a_mark_that_covers_nothing_goes_with_the_word_after_it():
    tokens = Tokens(
        text="cat",
        text_pair=None,
        ids=(0, 1),
        pieces=("▁", "cat"),
        labels=("⟨␣⟩", "cat"),
        spans=((0, 0), (0, 3)),
        sequences=(0, 0),
        words=(0, 0),
        type_ids=(0, 0),
        special=(False, False),
        unknown=(False, False),
    )
    (block,) = parts_of(tokens)
    assert block == (Part("cat", 0, "", 0, 2),)
