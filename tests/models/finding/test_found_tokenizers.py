"""Tokenizers beside a model, and what one may be made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.finding.uploads import BERT, file, lacks, looked, model, only, told, weights
from tests.sentences import is_one_sentence


def without_tokenizer(folder: Path, model_type: str | None = "bert") -> Path:
    model(folder)
    (folder / "tokenizer.json").unlink()
    if model_type is None:
        (folder / "config.json").unlink()
    else:
        told(folder / "config.json", BERT | {"model_type": model_type})
    return folder


def put(folder: Path, names: str) -> Path:
    for name in names.split():
        text = '{"a": 0}' if name.endswith(".json") else "\na" if name.endswith((".model", ".spm")) else "a\nb\nc"
        folder.joinpath(name).parent.mkdir(exist_ok=True)
        folder.joinpath(name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("model_type", "names", "has"),
    [
        ("bert", "tokenizer.json", True),
        (None, "tokenizer.json", True),
        ("bert", "vocab.txt", True),
        (None, "vocab.txt", False),
        ("gpt2", "vocab.txt", False),
        ("gpt2", "vocab.txt tokenizer_config.json", True),
        ("gpt2", "vocab.json merges.txt", True),
        ("gpt2", "vocab.json", False),
        ("gpt2", "merges.txt", False),
        ("t5", "spiece.model", True),
        (None, "tokenizer.model", False),
        ("llama", "tokenizer.model", True),
        ("t5", "mine.model", False),
        ("bert", "tokenizer_config.json", False),
        ("bert", "tokenizer/tokenizer.json", True),
        ("bert", "", False),
    ],
)
def test_what_counts_as_a_tokenizer(tmp_path: Path, model_type: str | None, names: str, has: bool) -> None:
    candidate = only(put(without_tokenizer(tmp_path, model_type), names))
    assert ("tokenizer" not in lacks(candidate)) == has
    assert (candidate.tokenizer is not None) == has


def test_tokenizers_of_bytes_need_no_vocabulary(tmp_path: Path) -> None:
    told(without_tokenizer(tmp_path) / "tokenizer_config.json", {"tokenizer_class": "ByT5Tokenizer"})
    assert only(tmp_path).tokenizer == tmp_path


def test_a_tokenizer_above_counts_unless_a_model_there_has_it(tmp_path: Path) -> None:
    put(tmp_path, "tokenizer.json")
    without_tokenizer(tmp_path / "checkpoint-5")
    assert only(tmp_path).tokenizer == tmp_path
    weights(tmp_path / "model.safetensors")
    assert looked(tmp_path).candidates[1].tokenizer is None


def test_vocabularies_are_offered_those_beside_the_weights_first(tmp_path: Path) -> None:
    put(without_tokenizer(tmp_path / "m"), "vocab.txt merges.txt mine.model target.spm")
    (tmp_path / "words.txt").write_text("one\ntwo\tstill one word\nthree\n" * 40)
    told(tmp_path / "ids.json", {"a": 0, "b": 1})
    told(tmp_path / "list.json", ["a", "b"])
    told(tmp_path / "settings.json", {"a": 0, "b": "c"})
    (tmp_path / "notes.txt").write_text("This is a text about it.\nIt has lines of words.\n")
    named = [path.relative_to(tmp_path).as_posix() for path in only(tmp_path).vocabularies]
    assert named == ["m/vocab.txt", "m/mine.model", "m/target.spm", "ids.json", "list.json", "words.txt"]
    assert file(looked(tmp_path), "words.txt").sentence.startswith("words.txt: 120 words")


@pytest.mark.parametrize("content", [b"", b"one", b"a\0b\nc", b"\xff\nx", b"x" * 300 + b"\ny", b"a b\nc d e\n"])
def test_other_texts_are_no_vocabularies(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert file(looked(tmp_path), "a.txt").kind == "other"


def test_a_vocabulary_that_is_no_json_is_refused(tmp_path: Path) -> None:
    without_tokenizer(tmp_path)
    for name in ("tokenizer.json", "vocab.json"):
        (tmp_path / name).write_text("no")
    seen = looked(tmp_path)
    assert file(seen, "tokenizer.json").kind == file(seen, "vocab.json").kind == "refused"
    assert seen.candidates[0].vocabularies == ()


@pytest.mark.parametrize(
    ("specification", "doubted"),
    [
        ({"model": {"vocab": {"a": 0, "b": 95}}}, ""),
        ({"model": {"vocab": {"a": 0, "b": 96}}}, "97"),
        ({"model": {"vocab": [["a", 0.0]] * 30_000}}, "30,000"),
        ({"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 200}]}, "201"),
        ({"model": {"vocab": {"a": "9" * 99, "b": True}}, "added_tokens": [3, {"id": None}]}, ""),
        ({"model": []}, ""),
        ([], ""),
    ],
)
def test_a_tokenizer_with_more_ids_than_embeddings_is_doubted(
    tmp_path: Path, specification: object, doubted: str
) -> None:
    model(tmp_path)
    told(tmp_path / "tokenizer.json", specification)
    doubts = only(tmp_path).doubts
    assert len(doubts) == bool(doubted)
    assert all(is_one_sentence(doubt) and f"{doubted} different ids" in doubt for doubt in doubts)


def test_lines_of_a_vocabulary_are_counted_as_ids(tmp_path: Path) -> None:
    without_tokenizer(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(f"piece{number}" for number in range(97)) + "\n")
    assert "97 different ids and the model has 96" in only(tmp_path).doubts[0]
