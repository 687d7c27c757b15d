"""Which tokenizers are offered for an embedding of so many rows, and in which order."""

from __future__ import annotations

import json
from pathlib import Path

from core.models.tokenizing import SMILES, Bytes, Characters, FromCatalogue, FromFile, Pattern, Whitespace, offered

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def written(path: Path, tokens: list[str]) -> Path:
    path.write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    return path


def test_the_rows_of_known_vocabularies_are_recognised() -> None:
    best = offered(30_522)[0]
    assert best.choice == FromCatalogue("all-MiniLM-L6-v2")
    assert best.sentence == (
        "The embedding has 30,522 rows, exactly as many ids as the vocabulary of all-MiniLM-L6-v2."
    )
    rounded = offered(30_528)[0]
    assert rounded.choice == best.choice
    assert "6 more" in rounded.sentence
    assert "rounded up" in rounded.sentence
    assert all(offer.choice is None for offer in offered(30_523))


def test_models_that_share_a_tokenizer_are_offered_once() -> None:
    names = [offer.choice.name for offer in offered(4_000) if isinstance(offer.choice, FromCatalogue)]
    assert "en-fr-transformer" in names
    assert "zh-en-transformer" in names
    assert not {"en-fr-gru-bahdanau", "sentiment-bilstm-additive-1"} & set(names)


def test_bytes_are_recognised() -> None:
    assert offered(256)[0].choice == Bytes()
    assert offered(384)[0].choice == offered(259)[0].choice == Bytes(3, ("<pad>", "</s>", "<unk>"))
    assert offered(257)[0].kind == "bytes"
    assert offered(257)[0].choice is None


def test_a_file_of_the_upload_that_fits_comes_first(tmp_path: Path) -> None:
    path = written(tmp_path / "vocab.txt", [f"[unused{i}]" for i in range(30_521)] + ["##a"])
    kinds = [offer.choice for offer in offered(30_522, [path])[:2]]
    assert kinds == [FromFile(path), FromCatalogue("all-MiniLM-L6-v2")]


def test_what_a_vocabulary_holds_tells_how_texts_are_split(tmp_path: Path) -> None:
    letters = written(tmp_path / "letters.txt", ["<pad>", "<unk>", *LETTERS])
    words = written(tmp_path / "words.txt", ["<unk>", "the", "cat", "sat"])
    atoms = written(tmp_path / "atoms.txt", ["<unk>", "C", "c", "=", "Cl", "Br", "[nH]", "(", ")", "1"])
    pieces = written(tmp_path / "pieces.txt", ["[UNK]", "cat", "##s"])
    (tmp_path / "bpe").mkdir()
    merged = tmp_path / "bpe" / "vocab.json"
    merged.write_text(json.dumps({"Ġ": 0, "a": 1}))
    (tmp_path / "bpe" / "merges.txt").write_text("")
    choices = [offer.choice for offer in offered(0, [letters, words, atoms, pieces, merged])]
    assert choices[:5] == [
        Characters(letters), Whitespace(words), Pattern(SMILES, atoms), FromFile(pieces), FromFile(merged),
    ]  # fmt: skip


def test_smaller_vocabularies_are_offered_with_the_reason_and_larger_ones_are_not(tmp_path: Path) -> None:
    small = written(tmp_path / "small.txt", ["<unk>", "the", "cat"])
    large = written(tmp_path / "large.txt", [f"word{i}" for i in range(2_000)])
    offers = [offer for offer in offered(1_003, [small, large]) if offer.choice is not None]
    assert [offer.choice for offer in offers] == [Whitespace(small)]
    assert "1,000 more than the vocabulary of small.txt in the upload has ids" in offers[0].sentence


def test_damaged_files_are_not_offered(tmp_path: Path) -> None:
    damaged = tmp_path / "vocab.json"
    damaged.write_text("[" * 100_000)
    model = tmp_path / "own.model"
    model.write_bytes(b"\x0a\xff\xff")
    assert all(offer.choice is None for offer in offered(0, [damaged, model, tmp_path / "gone.txt"]))


def test_the_alphabet_of_esm_comes_first_for_its_own_models_and_last_for_others() -> None:
    best = offered(33, model_type="esm")[0]
    assert isinstance(best.choice, Characters)
    assert best.choice.vocabulary[:6] == ("<cls>", "<pad>", "<eos>", "<unk>", "L", "A")
    assert (len(best.choice.vocabulary), best.choice.vocabulary[32]) == (33, "<mask>")
    others = offered(33)
    assert others[0].choice is None
    assert others[-1] == best
    assert best not in offered(34, model_type="esm")


def test_what_can_always_be_filled_in_comes_last() -> None:
    assert {offer.kind for offer in offered(777)} == {
        "catalogue", "file", "characters", "bytes", "whitespace", "pattern",
    }  # fmt: skip
    assert offered(65)[0].kind == "characters"
    assert "65 rows" in offered(65)[0].sentence
