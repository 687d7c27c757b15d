"""The tokenizer of letters: two scripts, sources filled up, targets ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from core.text import encoder_of
from core.text.encoder import TextEncoder
from core.zoo.recurrent import LetterTokenizer, RecurrentConfig

VOCABULARY = {name: number for number, name in enumerate(("<pad>", "<unk>", "<s>", "</s>", *"abc", *"αβγ"))}
NAMES = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint's files but for its weights."""
    (tmp_path / "given.json").write_text(json.dumps(VOCABULARY))
    tokenizer = LetterTokenizer(
        str(tmp_path / "given.json"), target_letters="αω", source_length=6, model_max_length=6, **NAMES
    )
    tokenizer.save_pretrained(tmp_path)
    RecurrentConfig(vocab_size=len(VOCABULARY)).save_pretrained(tmp_path)
    return tmp_path


@pytest.fixture
def encoder(folder: Path) -> TextEncoder:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert isinstance(tokenizer, LetterTokenizer)
    return encoder_of(tokenizer, 6)


def test_a_source_is_filled_up_with_padding_that_is_no_text(encoder: TextEncoder) -> None:
    tokens = encoder.encode("A b-c")
    assert tokens.labels == ("A", "b", "c", "<pad>", "<pad>", "<pad>")
    assert tokens.ids == (4, 5, 6, 0, 0, 0)
    assert tokens.special == (False,) * 3 + (True,) * 3
    assert tokens.spans == ((0, 1), (2, 3), (4, 5), None, None, None)


def test_a_longer_source_is_cut(encoder: TextEncoder) -> None:
    tokens = encoder.encode("abcabcab")
    assert (tokens.ids, tokens.dropped) == ((4, 5, 6, 4, 5, 6), 2)


def test_letters_without_a_number_are_unknown(encoder: TextEncoder) -> None:
    assert encoder.encode("axb").unknown[:3] == (False, True, False)


def test_a_target_is_of_the_other_script_and_ends(encoder: TextEncoder) -> None:
    tokens = encoder.encode_target("αa γ")
    assert tokens.labels == ("α", "γ", "</s>")
    assert encoder.tokens_of_ids([7, 8, 3]).text == "αβ"


def test_names_of_special_tokens_are_letters_where_they_are_typed(encoder: TextEncoder) -> None:
    assert encoder.encode("<pad>a").special[:4] == (False,) * 4
    assert encoder.encode("</s>").labels[0] == "s"


def test_a_folder_cannot_ask_for_any_length(folder: Path) -> None:
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"source_length": 10**12}))
    with pytest.raises(ValueError, match="letters"):
        AutoTokenizer.from_pretrained(folder)


def test_a_folder_that_does_not_name_it_gets_another_tokenizer(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "tokenizer.json").write_text(_words())
    assert not isinstance(AutoTokenizer.from_pretrained(folder), LetterTokenizer)


def _words() -> str:
    import tokenizers
    from tokenizers.models import WordLevel

    return str(tokenizers.Tokenizer(WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>")).to_str())
