import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.text import TextEncoder, byte_encoder, character_encoder, word_encoder
from tests.sentences import refused
from tests.text.strategies import TEXTS
from tests.text.test_every_tokenizer import WILD, check, covered

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]
MARKS = dict(unknown="<unk>", start="<s>", end="</s>")
PLAIN = {
    "characters": character_encoder([*SPECIAL, *string.ascii_letters, " ", "我"], **MARKS),
    "bytes": byte_encoder(["<pad>", "<s>", "</s>"], start="<s>", end="</s>"),
    "words": word_encoder([*SPECIAL, "the", "cat"], **MARKS),
}


@pytest.mark.parametrize("encoder", PLAIN.values(), ids=PLAIN)
@given(text=TEXTS, pair=st.none() | TEXTS)
def test_plain_encoders_keep_to_the_rules(encoder: TextEncoder, text: str, pair: str | None) -> None:
    try:
        tokens = encoder.encode(text, pair)
    except HeadlightError:
        return
    check(tokens)
    seen = {i for i, character in enumerate(tokens.text) if not character.isspace()}
    assert seen <= covered(tokens)
    alone = {i for i, special in zip(tokens.ids, tokens.special, strict=True) if not special}
    assert not alone & (encoder.reader.special_ids - {encoder.unknown_id})
    check(encoder.tokens_of_ids(tokens.ids))


def test_characters() -> None:
    tokens = PLAIN["characters"].encode("a 我é", "b")
    assert tokens.labels == ("<s>", "a", "␣", "我", "é", "</s>", "b", "</s>")
    assert tokens.kinds == ("special", "", "", "", "unknown", "special", "", "special")
    assert tokens.type_ids == (0, 0, 0, 0, 0, 0, 1, 1)
    assert tokens.merged().labels == ("<s>", "a", "␣我", "é", "</s>", "b", "</s>")
    assert PLAIN["characters"].end_id == 3


def test_bytes_of_a_character_are_numbered_and_come_back() -> None:
    tokens = PLAIN["bytes"].encode("我 x")
    assert tokens.labels == ("<s>", "我[1/3]", "我[2/3]", "我[3/3]", "␣", "x", "</s>")
    assert tokens.ids[1:4] == tuple(3 + byte for byte in "我".encode())
    again = PLAIN["bytes"].tokens_of_ids(PLAIN["bytes"].encode(WILD).ids)
    assert (again.text, again.labels) == (WILD, PLAIN["bytes"].encode(WILD).labels)


def test_words_between_spaces() -> None:
    tokens = PLAIN["words"].encode("the  cat\nsat </s>")
    assert tokens.labels == ("<s>", "the", "cat", "sat", "</s>", "</s>")
    assert tokens.kinds == ("special", "", "", "unknown", "unknown", "special")
    assert tokens.literals == ("</s>",)
    assert PLAIN["words"].tokens_of_ids([2, 4, 5, 3]).text == "the cat"
    assert PLAIN["words"].encode("the cat, the").merged().labels == ("<s>", "the", "cat,", "the", "</s>")


def test_a_vocabulary_without_an_unknown_token_refuses_what_it_lacks() -> None:
    with refused("leave it out"):
        character_encoder(["a", "b"]).encode("abc")


@pytest.mark.parametrize("make", [character_encoder, word_encoder])
def test_no_name_is_no_special_token_and_a_name_must_be_there(make: Callable[..., TextEncoder]) -> None:
    plain = make(["a", "b"], unknown="", start="", end="")
    assert plain.encode("a").ids == make(["a", "b"]).encode("a").ids == (0,)
    assert (plain.unknown_id, plain.end_id) == (None, None)
    with refused("leave it out"):
        plain.encode("c")
    for name in MARKS:
        with refused("has no token “<unk>”"):
            make(["a", "b"], **{name: "<unk>"})
    with refused("has no token “<s>”"):
        byte_encoder(start="<s>")
    assert byte_encoder(start="", end="").encode("a").ids == (97,)


def test_the_longest_text_is_cut() -> None:
    tokens = character_encoder(["a"], max_length=4).encode("a" * 9)
    assert (len(tokens), tokens.dropped) == (4, 5)
