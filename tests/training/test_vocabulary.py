"""Tokenizers: ids, special tokens and the way back to text."""

import pytest

from core.training.tasks import TASKS
from core.training.vocabulary import character_tokenizer, piece_tokenizer, word_tokenizer

TEXTS = ["The cat sat on the mat.", "A cat, the CATS sat!", "Le chat est là."] * 3


def test_each_character_has_the_id_of_its_place() -> None:
    tokenizer = character_tokenizer("abc")
    assert tokenizer("cab").input_ids == [6, 4, 5, 2]
    assert tokenizer(text_target="b").input_ids == [5, 2]
    assert (tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id) == (
        0,
        1,
        2,
        3,
    )


@pytest.mark.parametrize("name", TASKS)
def test_a_task_reads_and_writes_all_its_characters(name: str) -> None:
    tokenizer = character_tokenizer(TASKS[name].alphabet)
    shown = TASKS[name].shown.source
    assert tokenizer.decode(tokenizer(shown).input_ids, skip_special_tokens=True) == shown


def test_what_is_not_in_the_alphabet_is_unknown() -> None:
    assert character_tokenizer("ab")("a\nb").input_ids == [4, 3, 5, 2]


def test_pieces_come_back_as_the_lower_cased_text() -> None:
    tokenizer = piece_tokenizer(TEXTS, 80)
    assert len(tokenizer) <= 80
    assert tokenizer.decode(tokenizer("The CATS, là.").input_ids, skip_special_tokens=True) == "the cats, là."


@pytest.mark.parametrize("between", ["\n", "\t", "  ", "\u2028", "\r\n"])
def test_whatever_parts_two_words_is_read_as_one_space(between: str) -> None:
    tokenizer = piece_tokenizer(TEXTS, 80)
    assert tokenizer(f"the cat{between}sat").input_ids == tokenizer("the cat sat").input_ids


def test_pieces_know_one_form_of_each_character() -> None:
    tokenizer = piece_tokenizer(TEXTS, 80)
    assert tokenizer("la\u0300").input_ids == tokenizer("l\u00e0").input_ids


def test_chinese_is_read_by_character() -> None:
    tokenizer = piece_tokenizer(["猫追老鼠。", "老鼠追猫。"] * 3, 60)
    assert tokenizer.tokenize("猫追老鼠") == ["▁", "猫", "追", "老", "鼠"]


def test_characters_take_no_more_than_half_of_the_pieces() -> None:
    rare = [chr(code) for code in range(0x4E00, 0x4E00 + 200)]
    tokenizer = piece_tokenizer(["the cat sat on the mat"] * 9 + rare * 2, 60)
    assert "▁the" in tokenizer.get_vocab()
    assert sum(mark in tokenizer.get_vocab() for mark in rare) <= 30


def test_of_equally_rare_characters_the_first_are_kept() -> None:
    # More than fit, so that a limit that draws among them would hardly ever keep these.
    rare = [chr(code) for code in range(0x4E00, 0x4E00 + 200)]
    kept = piece_tokenizer(["the cat"] * 3 + rare[::-1], 60).get_vocab()
    assert {mark for mark in rare if mark in kept} == set(rare[: 30 - len(set("▁thecat"))])


def test_words_keep_the_most_frequent_only() -> None:
    tokenizer = word_tokenizer(TEXTS, 7)
    assert len(tokenizer) == 7
    assert tokenizer("Cats sat.").input_ids[0] == 3
