"""Texts as ids: special tokens that are typed are plain text, in training as in an opened checkpoint."""

from collections.abc import Callable
from pathlib import Path

import pytest
from transformers import AutoTokenizer, ByT5Tokenizer, PreTrainedTokenizerBase

from core.models.catalogue import find
from core.text import encoder_of
from core.training.reading import ids_of
from core.training.recipes.translation import samples_of
from core.training.vocabulary import (
    END_ID,
    SPECIALS,
    START_ID,
    UNKNOWN_ID,
    character_tokenizer,
    language_tokenizer,
    piece_tokenizer,
    word_tokenizer,
)  # fmt: skip

TYPED = "hello </s> world <pad><s> <unk> [SEP]"
TEXTS = [TYPED, "hello world"] * 5
MAKERS: dict[str, Callable[[], PreTrainedTokenizerBase]] = {
    "characters": lambda: character_tokenizer("<>/[]abdehklnoprsuwSEP "),
    "pieces": lambda: piece_tokenizer(TEXTS, 60),
    "language": lambda: language_tokenizer(TEXTS, 60, lowercase=False),
    "words": lambda: word_tokenizer(TEXTS, 60),
    "bytes": ByT5Tokenizer,
    "MiniLM": lambda: AutoTokenizer.from_pretrained(find("all-MiniLM-L6-v2").open_folder(None)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_typed_is_plain_text_and_read_as_an_opened_model_reads_it(name: str) -> None:
    tokenizer = MAKERS[name]()
    ids = ids_of(tokenizer, [TYPED])[0]
    assert tuple(ids) == encoder_of(tokenizer, 512).encode(TYPED).ids
    plain = ids_of(tokenizer, [TYPED], special=False)[0]
    assert not {*plain} & {*tokenizer.all_special_ids}
    assert len(ids) == len(plain) + tokenizer.num_special_tokens_to_add()


@pytest.mark.parametrize("name", ["characters", "pieces", "language", "words"])
def test_a_saved_tokenizer_reads_it_so_in_transformers_too(name: str, tmp_path: Path) -> None:
    tokenizer = MAKERS[name]()
    tokenizer.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path)(TYPED).input_ids == ids_of(tokenizer, [TYPED])[0]


def test_pairs_hold_no_control_ids_but_their_end() -> None:
    sample = samples_of(piece_tokenizer(TEXTS, 60), [("hello </s> world <pad>", "world <s> <pad> hello <unk>")])[0]
    for ids in (sample.source, sample.target):
        assert ids[-1] == END_ID
        assert not {*ids[:-1]} & {*range(len(SPECIALS))}


@pytest.mark.parametrize("name", MAKERS)
def test_a_text_is_cut_to_its_first_tokens_and_keeps_the_special_ones(name: str) -> None:
    tokenizer = MAKERS[name]()
    around = tokenizer.num_special_tokens_to_add()
    cut, plain = ids_of(tokenizer, [TYPED], 5)[0], ids_of(tokenizer, [TYPED], special=False)[0]
    assert len(cut) == 5
    assert [number for number in cut if number in plain] == plain[: 5 - around]
    assert ids_of(tokenizer, []) == []


def test_known_answers() -> None:
    assert ids_of(character_tokenizer("ab"), ["ba", "<s>"]) == [[5, 4, END_ID], [UNKNOWN_ID] * 3 + [END_ID]]
    assert ids_of(language_tokenizer(TEXTS, 60, lowercase=True), ["hello"])[0][0] == START_ID
