"""SentencePiece models, trained here in a moment, read like their own library does; others are refused."""

from __future__ import annotations

import io
import random
from contextlib import suppress
from pathlib import Path

import pytest
import sentencepiece

from core.errors import HeadlightError
from core.models.tokenizing import FromFile, Specials
from core.models.tokenizing.building import built
from core.models.tokenizing.sentencepieces import read_pieces
from tests.models.tokenizing.readers import backend_of, encoder_of

SENTENCES = ["hello world, this is a test of pieces", "the cat sat on the mat", "naïve 你好 世界", "123 456"] * 20
TEXTS = ("hello world", "  the  cat ", "你好 zz", "ｆｕｌｌ", "▁a", "the\ncat", "quickly é😀", "zzz [M] qq", "[M][M]x")


def trained(path: Path, **options: object) -> Path:
    model = io.BytesIO()
    usual = dict(vocab_size=330, hard_vocab_limit=False, minloglevel=2, num_threads=1)
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(SENTENCES), model_writer=model, **(usual | options))
    path.write_bytes(model.getvalue())
    return path


@pytest.mark.parametrize(
    "options",
    [
        dict(model_type="unigram"),
        dict(model_type="bpe", vocab_size=70),
        dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False),
        dict(model_type="unigram", byte_fallback=True, add_dummy_prefix=False),
        dict(model_type="bpe", vocab_size=70, user_defined_symbols=["[M]"]),
        dict(model_type="unigram", user_defined_symbols=["[M]"]),
    ],
)
def test_a_model_reads_like_its_library(tmp_path: Path, options: dict[str, object]) -> None:
    path = trained(tmp_path / "own.model", **options)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    own = backend_of(built(FromFile(path)))
    for text in TEXTS:
        assert own.encode(text, add_special_tokens=False).ids == theirs.encode(text), text


def test_spans_cover_the_letters_of_the_text(tmp_path: Path) -> None:
    tokens = encoder_of(FromFile(trained(tmp_path / "own.spm"))).encode("  hello  你好 é😀")
    assert tokens.pieces[0] == "<s>"
    assert "".join(tokens.labels[1:]).replace("␣", "").replace("⟨⟩", "") == "hello你好é😀"
    # The library sees one unknown stretch.
    assert any(tokens.unknown)


def test_special_tokens_are_those_of_the_families_or_of_the_user(tmp_path: Path) -> None:
    t5 = trained(tmp_path / "t5.model", bos_id=-1, pad_id=0, eos_id=1, unk_id=2)
    assert encoder_of(FromFile(t5)).encode("cat").pieces[-1] == "</s>"
    assert encoder_of(FromFile(t5)).encode("cat").pieces[0] != "<s>"
    llama = trained(tmp_path / "llama.model")
    assert encoder_of(FromFile(llama, specials=Specials(start="", end="</s>"))).encode("cat").special[-1]


def test_models_of_words_are_refused(tmp_path: Path) -> None:
    path = trained(tmp_path / "words.model", model_type="word")
    with pytest.raises(HeadlightError, match="only the kinds unigram and BPE are read"):
        read_pieces(path)


@pytest.mark.parametrize("data", [b"", b"hello", b"\x0a\xff\xff\xff\xff\x0f", b"\x80" * 40, b"\x0a\x03\x0a\x01a"])
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.model"
    path.write_bytes(data)
    with pytest.raises(HeadlightError, match="is not opened, because"):
        read_pieces(path)


def test_a_damaged_model_is_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    whole = trained(tmp_path / "own.model").read_bytes()
    chance = random.Random(0)
    path = tmp_path / "damaged.model"
    for _ in range(150):
        damaged = bytearray(whole[: chance.choice([len(whole), chance.randrange(len(whole))])])
        for _ in range(chance.randrange(4)):
            if damaged:
                damaged[chance.randrange(min(len(damaged), 3_000))] = chance.randrange(256)
        path.write_bytes(damaged)
        with suppress(HeadlightError):
            assert read_pieces(path).pieces
