"""What each kind of tokenizer makes of texts in many scripts: pieces, labels, spans, unknowns and special tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from core.models.catalogue import find
from core.models.tokenizing import SMILES, Bytes, Characters, FromFile, Pattern, Specials, Whitespace
from core.models.tokenizing.building import built
from tests.models.tokenizing.readers import BASE, backend_of, encoder_of

TEXTS = ("水的化学式", "👩‍👩‍👧 ok", "مَرْحَبًا", "e\u0301a\u0308", "a\n\tb  c", "<unk>", "Ａß\u200b")
LETTERS = tuple(dict.fromkeys("".join(TEXTS[:5])))
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)


@pytest.mark.parametrize("text", TEXTS)
def test_characters_are_one_token_each_whatever_the_script(text: str) -> None:
    tokens = encoder_of(Characters((*BASE, *LETTERS))).encode(text)
    assert [tokens.spans[i] for i in range(1, len(tokens) - 1)] == [(i, i + 1) for i in range(len(text))]
    assert tokens.pieces[0] == "<s>"
    assert tokens.pieces[-1] == "</s>"
    assert tokens.special == (True, *[False] * len(text), True)
    assert list(tokens.unknown[1:-1]) == [letter not in LETTERS for letter in text]


def test_characters_keep_together_as_words() -> None:
    assert encoder_of(Characters((*BASE, *"abc "))).encode("ab c").words == (None, 0, 0, 1, 1, None)


@given(ANY_TEXT)
@settings(max_examples=50, deadline=None)
def test_bytes_spell_every_text_again_and_cover_all_of_it(text: str) -> None:
    encoder = encoder_of(Bytes(3, ("<pad>", "</s>", "<unk>")))
    tokens = encoder.encode(text)
    assert list(tokens.ids) == [byte + 3 for byte in text.encode()] + [1]
    assert not any(tokens.unknown)
    assert {i for span in tokens.spans[:-1] for i in range(*(span or (0, 0)))} == set(range(len(text)))
    assert encoder.tokens_of_ids(tokens.ids[:-1]).text == text


def test_the_bytes_of_a_letter_are_told_apart() -> None:
    assert encoder_of(Bytes()).encode("é😀").labels == (
        "é[1/2]", "é[2/2]", "😀[1/4]", "😀[2/4]", "😀[3/4]", "😀[4/4]",
    )  # fmt: skip


def test_bytes_may_have_names_after_them() -> None:
    tokens = encoder_of(Bytes(0, after=("<eos>",))).encode("a")
    assert tokens.ids == (97, 256)
    assert tokens.special == (False, True)


@given(ANY_TEXT)
@settings(max_examples=50, deadline=None)
def test_characters_of_any_text_are_never_lost(text: str) -> None:
    encoder = encoder_of(Characters((*BASE, *"abc "), Specials(start="", end="")))
    assert encoder.encode(text).spans == tuple((i, i + 1) for i in range(len(text)))


def test_words_stand_between_white_space_and_unknown_ones_are_marked() -> None:
    tokens = encoder_of(Whitespace((*BASE, "你好,", "b."))).encode("你好,\u3000b.  é")
    assert tokens.labels == ("<s>", "你好,", "b.", "é", "</s>")
    assert tokens.unknown == (False, False, False, True, False)
    assert tokens.spans[1:-1] == ((0, 3), (4, 6), (8, 9))


def test_the_published_pattern_reads_a_reaction() -> None:
    vocabulary = (*BASE, "C", "Cl", "(", ")", "=", "O", "[nH]", "c", "1", ">", ".", "%10")
    tokens = encoder_of(Pattern(SMILES, vocabulary, Specials(start="", end=""))).encode("CC(=O)Cl.c1[nH]%10>>C")
    assert tokens.pieces == (
        "C", "C", "(", "=", "O", ")", "Cl", ".", "c", "1", "[nH]", "%10", ">", ">", "C",
    )  # fmt: skip
    assert "".join(tokens.labels) == tokens.text


def test_what_a_pattern_does_not_match_is_one_unknown_token_a_stretch() -> None:
    tokens = encoder_of(Pattern("[a-z]", (*BASE, "a", "b"))).encode("a!? b")
    assert tokens.labels == ("<s>", "a", "!?␣", "b", "</s>")
    assert tokens.unknown == (False, False, True, False, False)


@given(ANY_TEXT)
@settings(max_examples=50, deadline=None)
def test_matches_and_stretches_between_them_cover_every_text(text: str) -> None:
    encoder = encoder_of(Pattern(SMILES, (*BASE, "C"), Specials(start="", end="")))
    spans = [span for span in encoder.encode(text).spans if span]
    assert [i for span in spans for i in range(*span)] == list(range(len(text)))


@pytest.mark.parametrize("kind", [Characters, Whitespace])
def test_who_types_a_special_letter_has_typed_something_unknown(kind: type[Characters] | type[Whitespace]) -> None:
    tokens = encoder_of(kind(("_", "^", "$", "?", "a"), Specials("?", "^", "$", "_"))).encode("^ a")
    assert tokens.ids[0] == 1
    assert tokens.ids[-1] == 2
    assert tokens.ids[1] == 3
    assert tokens.labels[1] == "^"
    assert tokens.unknown[1]


def test_that_holds_for_wordpiece_too(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("?\n^\na\n##b\n")
    tokens = encoder_of(FromFile(path, specials=Specials("?", "^"))).encode("ab ^")
    assert tokens.ids == (1, 2, 3, 0)
    assert tokens.labels == ("^", "a", "b", "^")
    assert tokens.unknown == (False, False, False, True)


def test_who_types_the_name_of_a_special_token_has_typed_letters() -> None:
    for choice in (Whitespace((*BASE, "a")), Pattern(r"\S+", (*BASE, "a")), Characters((*BASE, "a"))):
        tokens = encoder_of(choice).encode("</s>")
        assert not any(tokens.special[1:-1])
        assert 3 not in tokens.ids[1:-1]


def test_a_pair_has_an_end_after_each_text_and_segments() -> None:
    tokens = encoder_of(Whitespace((*BASE, "a", "b"))).encode("a", "b")
    assert tokens.pieces == ("<s>", "a", "</s>", "b", "</s>")
    assert tokens.type_ids == (0, 0, 0, 1, 1)


def test_a_vocabulary_without_unknown_pieces_gives_them_an_id_that_no_model_has() -> None:
    tokens = encoder_of(Characters(("a", "b"), Specials(unknown=""))).encode("aé")
    assert tokens.ids == (0, 2)
    assert tokens.unknown == (False, True)


def test_wordpiece_reads_like_the_tokenizer_that_the_vocabulary_is_from() -> None:
    entry = find("all-MiniLM-L6-v2")
    assert entry is not None
    folder = entry.open_folder()
    made = built(FromFile(folder / "vocab.txt"))
    assert any("lower-cased" in note for note in made.notes)
    own, theirs = backend_of(made), AutoTokenizer.from_pretrained(folder)
    for text in (*TEXTS, "Unaffordable [MASK] naïve Straße", "x" * 120):
        assert own.encode(text).ids == theirs(text)["input_ids"]
        assert own.encode(text, "B!").type_ids == theirs(text, "B!")["token_type_ids"]


def test_a_vocabulary_with_capitals_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n[CLS]\n[SEP]\nBerlin\n##er\nberlin\n")
    assert encoder_of(FromFile(path)).encode("Berliner").pieces == ("[CLS]", "Berlin", "##er", "[SEP]")
    lower = encoder_of(FromFile(path, "lowercase wordpiece"))
    assert lower.encode("Berliner").pieces == ("[CLS]", "berlin", "##er", "[SEP]")


def test_vocabulary_and_merges_read_like_the_tokenizer_that_they_are_from(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    told = json.loads(byte_level.to_str())["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(told["vocab"]))
    lines = ["#version: 0.2", *(" ".join(pair) for pair in told["merges"])]
    (tmp_path / "merges.txt").write_text("\n".join(lines) + "\n")
    own = encoder_of(FromFile(tmp_path / "vocab.json"))
    for text in (*TEXTS, "The cat sat."):
        pieces = byte_level.encode(text, add_special_tokens=False).tokens
        assert [p for p, s in zip(*(own.encode(text).pieces, own.encode(text).special), strict=True) if not s] == pieces
