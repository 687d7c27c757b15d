"""Words in another order: which move, what moves with them, and what stays."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import load
from core.errors import HeadlightError
from core.text import TextEncoder, Tokens, movable, movable_labels, moved_places, reordered
from tests.sentences import refused
from tests.text.strategies import TEXTS


@pytest.fixture(scope="module")
def chinese() -> TextEncoder:
    return load("zh-en-transformer").encoder


def test_the_mouse_chases_the_cat_with_the_ids_of_its_own_text(chinese: TextEncoder) -> None:
    tokens = chinese.encode("猫追老鼠")
    assert movable_labels(tokens) == ("猫", "追", "老", "鼠")
    moved = reordered(tokens, (2, 3, 1, 0))
    assert moved.ids == chinese.encode("老鼠追猫").ids == (57, 1408, 2001, 1750, 1178, 2)
    assert moved.labels == ("⟨␣⟩", "老", "鼠", "追", "猫", "</s>")
    assert moved.spans == ((0, 0), (2, 3), (3, 4), (1, 2), (0, 1), None)
    # The blank goes with the word that now follows it.
    assert moved.words == (2, 2, 3, 1, 0, None)
    assert moved.merged().labels == ("老", "鼠", "追", "猫", "</s>")
    assert moved.text == "猫追老鼠"


def test_a_space_of_its_own_between_words_stays_and_one_in_a_piece_moves(chinese: TextEncoder) -> None:
    apart = chinese.encode("猫 追 鼠")
    moved = reordered(apart, (2, 1, 0))
    assert moved.ids == chinese.encode("鼠 追 猫").ids
    english = load("lm-none").encoder.encode("the cat sat")
    assert movable_labels(english) == ("the", "␣cat", "␣sat")
    assert reordered(english, (1, 0, 2)).labels == ("<s>", "␣cat", "the", "␣s", "at")


def test_special_tokens_and_line_breaks_stay_and_words_of_several_tokens_stay_whole(
    wordpiece: TextEncoder, bytewise: TextEncoder
) -> None:
    tokens = wordpiece.encode("a naïveté cat")
    moved = reordered(tokens, (2, 1, 0))
    assert (moved.labels[0], moved.labels[-1]) == ("[CLS]", "[SEP]")
    assert moved.special == tokens.special
    assert moved.merged().labels == ("[CLS]", "cat", "naïveté", "a", "[SEP]")
    lines = bytewise.encode("on\n\n猫😀")
    assert movable_labels(lines) == ("on", "猫", "😀")
    assert reordered(lines, (2, 1, 0)).merged().labels == ("😀", "⏎", "⏎", "猫", "on")


@settings(deadline=None, max_examples=60)
@given(text=TEXTS, data=st.data())
def test_any_order_keeps_the_tokens_and_can_be_undone(encoder: TextEncoder, text: str, data: st.DataObject) -> None:
    tokens = encoded(encoder, text)
    if tokens is None:
        return
    words = movable(tokens)
    order = tuple(data.draw(st.permutations(range(len(words)))))
    moved, places = reordered(tokens, order), moved_places(tokens, order)
    assert sorted(places) == list(range(len(tokens)))
    assert moved.ids == tuple(tokens.ids[place] for place in places)
    assert not any(tokens.special[place] for place in chain.from_iterable(words))
    arrived = [tuple(places[place] for place in word) for word in movable(moved)]
    assert arrived == [words[i] for i in order]
    assert reordered(moved, tuple(map(order.index, range(len(order))))) == tokens
    assert reordered(tokens, range(len(words))) == tokens


def encoded(encoder: TextEncoder, text: str) -> Tokens | None:
    try:
        return encoder.encode(text)
    except HeadlightError:
        return None


def test_an_order_that_is_none_and_a_pair_of_texts_get_a_sentence(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("one two three")
    for order in ((0, 1), (0, 1, 1), (0, 1, 3), (-1, 0, 1), ()):
        with refused("3 words once"):
            reordered(tokens, order)
    with refused("one text only"):
        movable(wordpiece.encode("one", "two"))
