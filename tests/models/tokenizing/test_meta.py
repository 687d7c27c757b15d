"""nanoGPT's meta.pkl gives its characters with their ids, and whatever else it holds is refused and not run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

from core.errors import HeadlightError
from core.models.finding import found
from core.models.pickles import MOST_BYTES
from core.models.tokenizing import Characters, FromFile, Specials, offered, write_tokenizer
from core.models.tokenizing.vocabularies import read_vocabulary
from tests.evil import Evil
from tests.models.tokenizing.readers import encoder_of
from tests.sentences import refused

LETTERS = "\n !'abcdeé猫😀"


def meta(letters: str = LETTERS, **changes: Any) -> dict[str, Any]:
    ids = {letter: number for number, letter in enumerate(letters)}
    return {"vocab_size": len(ids), "itos": {n: letter for letter, n in ids.items()}, "stoi": ids} | changes


def saved(folder: Path, held: Any, protocol: int = 4) -> Path:
    (folder / "meta.pkl").write_bytes(pickle.dumps(held, protocol))
    return folder / "meta.pkl"


@pytest.mark.parametrize("protocol", [4, 5])
def test_every_character_has_the_id_that_training_gave_it(tmp_path: Path, protocol: int) -> None:
    assert read_vocabulary(saved(tmp_path, meta(), protocol)).ids == meta()["stoi"]


def test_it_is_found_beside_the_weights_and_offered_for_as_many_rows(tmp_path: Path) -> None:
    path = saved(tmp_path, meta())
    torch.save({"model": {"transformer.wte.weight": torch.zeros(len(LETTERS), 4)}}, tmp_path / "ckpt.pt")
    seen = found(tmp_path)
    (said,) = (file for file in seen.files if file.path == "meta.pkl")
    assert (said.kind, said.severity) == ("vocabulary", "info")
    assert "of which nothing is run" in said.sentence
    assert seen.candidates[0].vocabularies == (path,)
    best = offered(len(LETTERS), [path])[0]
    assert (best.label, best.choice) == ("Characters of meta.pkl", Characters(path, Specials(unknown="")))
    assert best.sentence.startswith("The embedding has 12 rows, exactly as many ids")
    (note,) = write_tokenizer(best.choice, tmp_path)
    assert note.startswith("No token stands for unknown pieces")
    assert Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("a猫\n").ids == [4, 10, 0]


@pytest.mark.parametrize(
    "held",
    [
        {}, {"stoi": {}}, {"stoi": {0: "a"}}, {"stoi": {"a": "0"}}, {"stoi": {"a": -1}}, {"stoi": {"a": 10**9}},
        {"stoi": {"a": 0, "b": 0}}, {"stoi": {"a": {"b": 0}}}, {"stoi": {"a": None}}, {"stoi": {"\ud800": 0}},
        {"stoi": {"a" * 2_000: 0}}, {"stoi": ["a"]}, ["a"], "a", 3, None,
    ],
)  # fmt: skip
def test_what_gives_no_ids_to_characters_is_refused(tmp_path: Path, held: Any) -> None:
    with refused():
        read_vocabulary(saved(tmp_path, held))


def test_a_program_in_it_is_refused_and_does_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for protocol in range(6):
        for held in (Evil(trace), meta(more=Evil(trace)), meta(stoi={"a": Evil(trace)})):
            path = saved(tmp_path, held, protocol)
            with pytest.raises(HeadlightError):
                read_vocabulary(path)
            assert len(found(tmp_path).files) == 1
    assert all(offer.choice is None for offer in offered(0, [path]) if offer.kind == "file")
    assert not trace.exists()


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x80\x04.", b"\x80\x04}", b"(" * 1_000, b"a\nb\n", b"\0" * 64])
def test_a_damaged_one_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "meta.pkl").write_bytes(data)
    with pytest.raises(HeadlightError):
        read_vocabulary(tmp_path / "meta.pkl")


def test_a_long_one_is_not_read(tmp_path: Path) -> None:
    with refused(f"{MOST_BYTES:,}"):
        read_vocabulary(saved(tmp_path, meta(more="x" * MOST_BYTES)))


def test_under_any_name_it_is_read_as_characters_of_which_none_stands_for_others(tmp_path: Path) -> None:
    path = saved(tmp_path, meta()).rename(tmp_path / "meta (1).pkl")
    for choice in (Characters(path), FromFile(path), FromFile(path, "wordpiece")):
        encoder = encoder_of(choice)
        assert encoder.encode("a猫\n").ids == (4, 10, 0)
        assert encoder.encode("aQ").unknown == (False, True)
        assert encoder.unknown_id == len(LETTERS)
    assert encoder_of(Characters(path, Specials(unknown="'"))).encode("Q").ids == (3,)
