"""Templated sentences: the same at every call, in both orders, and none of those that are held out."""

from itertools import permutations

import pytest

from core.training.templates import TEMPLATES, TEXTS

CHINESE = TEMPLATES["zh-en"]
ANIMALS = {"老鼠": "mouse", "猫": "cat", "狗": "dog", "马": "horse", "牛": "cow", "狼": "wolf", "鸟": "bird"}
WOMEN = {"Mary", "Anna", "Alice", "Emma", "Jane", "Kate", "Laura", "Lucy", "Nina", "Sarah", "Susan", "Julia"}


def test_templated_pairs_are_the_same_at_every_call_and_each_chinese_sentence_has_one_rendering() -> None:
    pairs = CHINESE.pairs()
    assert pairs == CHINESE.pairs()
    assert len({source for source, _ in pairs}) == len(pairs) > 3000


def test_both_orders_are_there_and_only_the_order_tells_them_apart() -> None:
    pairs = {source.rstrip("。"): target.rstrip(".") for source, target in CHINESE.pairs()}
    seen = 0
    for one, other in permutations(ANIMALS, 2):
        if (source := f"{one}追{other}") in pairs:
            assert pairs[source] == f"The {ANIMALS[one]} chases the {ANIMALS[other]}"
            assert pairs[f"{other}追{one}"] == f"The {ANIMALS[other]} chases the {ANIMALS[one]}"
            seen += 1
    assert seen > 10


def test_passives_turn_the_english_order_round() -> None:
    pairs = {source.rstrip("。"): target.rstrip(".") for source, target in CHINESE.pairs()}
    passive = [(one, other) for one, other in permutations(ANIMALS, 2) if f"{one}被{other}追了" in pairs]
    assert passive
    for one, other in passive:
        assert pairs[f"{one}被{other}追了"] == f"The {ANIMALS[one]} was chased by the {ANIMALS[other]}"


def test_held_out_sentences_are_never_written_and_their_words_often() -> None:
    pairs = CHINESE.pairs()
    assert CHINESE.without_held_out(pairs) == pairs
    assert all(sum(word in source for source, _ in pairs) > 500 for word in ("追", "老鼠", "猫"))


@pytest.mark.parametrize(
    "source", ["猫追老鼠", "老鼠追猫。", " 猫 追老鼠！", "「老鼠追猫」", "貓追老鼠…", "小猫追老鼠吗？"]
)
def test_what_is_held_out_is_so_with_any_punctuation_and_inside_longer_sentences(source: str) -> None:
    kept = ("猫追小老鼠", "The cat chases the little mouse")
    assert CHINESE.without_held_out([(source, "anything"), kept]) == [kept]


def test_templated_lines_are_the_same_at_every_call_and_distinct() -> None:
    lines = TEXTS["english"].lines()
    assert lines == TEXTS["english"].lines()
    assert len(set(lines)) == len(lines) > 10_000


def test_pronouns_agree_with_the_person_that_they_mean() -> None:
    thanks = [line.rstrip(".").split() for line in TEXTS["english"].lines() if " thanked " in line]
    assert len(thanks) > 100
    for _, _, thanked, _, pronoun, *_ in thanks:
        assert pronoun == ("she" if thanked in WOMEN else "he")


def test_verbs_agree_with_the_subject_and_not_with_the_noun_between() -> None:
    lines = [line for line in TEXTS["english"].lines() if line.endswith(" lost.")]
    assert {line.split()[1].endswith("s") for line in lines if " were " in line} == {True}
    assert {line.split()[1].endswith("s") for line in lines if " was " in line} == {False}
