"""The gold pairs: what their files must keep to, and how words and texts go over into each other."""

from __future__ import annotations

import pytest

from core.alignment import GOLD, spelled, split_words
from core.alignment.gold import FOLDER, GoldPair

PAIRS = [pytest.param(pair, id=pair.target_text) for pairs in GOLD.values() for pair in pairs]


def test_there_are_twenty_pairs_of_french_and_ten_of_chinese() -> None:
    assert {direction: len(pairs) for direction, pairs in GOLD.items()} == {"en-fr": 20, "zh-en": 10}
    assert sorted(file.stem for file in FOLDER.glob("*.tsv")) == sorted(GOLD)
    texts = [text for pairs in GOLD.values() for pair in pairs for text in (pair.source_text, pair.target_text)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_pair_is_short_and_its_links_lie_between_its_words(pair: GoldPair) -> None:
    assert max(len(pair.source), len(pair.target)) <= 12
    assert pair.sure < pair.possible or pair.sure == pair.possible
    assert all(target < len(pair.target) and source < len(pair.source) for target, source in pair.possible)
    assert {target for target, _ in pair.possible} == set(range(len(pair.target))), "each target word has a link"
    assert (len(pair.target) - 1, len(pair.source) - 1) in pair.sure, "the stops at the end belong together"


@pytest.mark.parametrize("direction", GOLD)
def test_a_word_that_has_a_sure_partner_has_few(direction: str) -> None:
    for pair in GOLD[direction]:
        for side in (0, 1):
            counts = [sum(link[side] == place for link in pair.sure) for place in range(12)]
            assert max(counts) <= 2


def test_links_cross_in_most_pairs() -> None:
    """Else the diagonal would be hard to beat."""
    for pairs in GOLD.values():
        crossing = [any(a < c and b > d for a, b in pair.sure for c, d in pair.sure) for pair in pairs]
        assert sum(crossing) >= 0.6 * len(pairs)


@pytest.mark.parametrize("pair", PAIRS)
def test_words_are_those_of_the_text_again(pair: GoldPair) -> None:
    assert split_words(pair.target_text) == pair.target
    joined = "".join(split_words(pair.source_text))
    assert joined == "".join(pair.source)
    assert "".join(pair.source_text.split()) == "".join(pair.source)


def test_texts_are_spelled_as_people_write_them() -> None:
    assert spelled(["I", "don't", "know", ",", "do", "you", "?"]) == "I don't know, do you?"
    assert spelled(["Où", "est", "l'", "homme", "d'", "hier", "?"], french=True) == "Où est l'homme d'hier ?"
    assert (
        spelled(["Donne", "-moi", "la", "clé", ",", "s'", "il", "te", "plaît", "."], french=True)
        == "Donne-moi la clé, s'il te plaît."
    )
    assert spelled(["My", "parents'", "house", "(", "old", ")", "."]) == "My parents' house (old)."
    assert spelled([*"猫追", "老鼠", "。"]) == "猫追老鼠。"
    assert spelled([]) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'homme n'est pas là.", "L' homme n' est pas là ."),
        ("Y a-t-il du pain ?", "Y a -t-il du pain ?"),
        ("qu'as-tu vu ?", "qu' as -tu vu ?"),
        ("aujourd'hui, peut-être...", "aujourd'hui , peut-être ..."),
        ("He doesn't know the man's name!", "He doesn't know the man's name !"),
        ("(3.5 or 12,000)", "( 3.5 or 12,000 )"),
        ("猫追老鼠。", "猫 追 老 鼠 。"),
        ("a👍🏽 b", "a 👍🏽 b"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("  ", ""),
    ],
)
def test_a_text_is_split_into_words(text: str, words: str) -> None:
    assert split_words(text) == tuple(words.split())
