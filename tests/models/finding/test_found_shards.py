"""Weights in several files, with an index and without, whole and not, and indexes that lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.models.finding import found
from tests.models.finding.uploads import BERT, file, halves, looked, only, pickled, state_dict, told, weights

NAMES = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
INDEX = "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shards with a config and a tokenizer, and no index."""
    for name, half in zip(NAMES, halves(), strict=True):
        weights(tmp_path / name, half)
    told(tmp_path / "config.json", BERT)
    told(tmp_path / "tokenizer.json", {})
    return tmp_path


def places() -> dict[str, str]:
    return {tensor: name for name, half in zip(NAMES, halves(), strict=True) for tensor in half}


def with_index(folder: Path, places: Any) -> Path:
    told(folder / INDEX, {"metadata": {"total_size": 1}, "weight_map": places})
    return folder


def test_shards_are_found_by_their_numbers(folder: Path) -> None:
    candidate = only(folder)
    assert tuple(path.name for path in candidate.weights) == NAMES
    assert set(candidate.tensors) == set(state_dict())
    assert file(looked(folder), NAMES[0]).sentence.endswith(": part 1 of 2 of the weights.")


def test_shards_are_found_by_their_index(folder: Path) -> None:
    with_index(folder, places())
    weights(folder / "model-00001-of-00009.safetensors")
    seen = looked(folder)
    assert tuple(path.name for path in seen.candidates[0].weights) == NAMES
    assert file(seen, INDEX).sentence == f"{INDEX}: says which of 2 files has which tensor."
    assert "does not name it" in file(seen, "model-00001-of-00009.safetensors").sentence


@pytest.mark.parametrize("indexed", [True, False])
def test_a_shard_that_is_missing_is_named(folder: Path, indexed: bool) -> None:
    if indexed:
        with_index(folder, places())
    (folder / NAMES[1]).unlink()
    seen = looked(folder)
    assert seen.candidates == ()
    assert "is missing" in file(seen, NAMES[0]).sentence
    assert file(seen, NAMES[0]).severity == "error"


def test_a_shard_that_is_damaged_spoils_the_rest(folder: Path) -> None:
    (folder / NAMES[1]).write_bytes(b"\xff" * 20)
    seen = looked(folder)
    assert (seen.candidates, file(seen, NAMES[1]).kind) == ((), "refused")
    assert "part 2 of 2 is missing or refused" in file(seen, NAMES[0]).sentence


def test_an_index_that_lies_is_told_and_not_believed(folder: Path) -> None:
    for change in ({"made.up": NAMES[0]}, {sorted(halves()[0])[0]: NAMES[1]}):
        seen = looked(with_index(folder, places() | change))
        assert file(seen, INDEX).severity == "warning"
        assert "does not agree with the files" in file(seen, INDEX).sentence
        assert set(seen.candidates[0].tensors) == set(state_dict())
    seen = looked(with_index(folder, dict(list(places().items())[1:])))
    assert "it does not name" in file(seen, INDEX).sentence


@pytest.mark.parametrize(
    "named",
    [{}, [], None, {"a": 1}, {"a": "../up"}, {"a": "/etc/passwd"}, {"a": ".."}, {"a": "x\\y"}, {"a": {"b": "c"}}],
)
def test_an_index_that_leads_elsewhere_or_nowhere_is_refused(folder: Path, named: Any) -> None:
    seen = looked(with_index(folder, named))
    assert file(seen, INDEX).kind == "refused"
    assert tuple(path.name for path in seen.candidates[0].weights) == NAMES


def test_an_index_left_behind_does_not_spoil_a_whole_file(tmp_path: Path) -> None:
    weights(tmp_path / "model.safetensors")
    seen = looked(with_index(tmp_path, places()))
    assert [path.name for path in seen.candidates[0].weights] == ["model.safetensors"]
    assert file(seen, INDEX).severity == "warning"


def test_an_index_of_too_many_tensors_is_refused(folder: Path) -> None:
    (folder / INDEX).write_text('{"weight_map": {' + ",".join(f'"{n}":"a"' for n in range(120_000)) + "}}")
    assert "more than the 100,000 tensors" in file(looked(folder), INDEX).sentence


def test_a_tensor_in_two_shards_leaves_open_which_is_meant(folder: Path) -> None:
    weights(folder / NAMES[1], state_dict())
    seen = looked(folder)
    assert seen.candidates == ()
    assert "two parts hold" in file(seen, NAMES[0]).sentence


def test_pickled_shards_are_found_too(tmp_path: Path) -> None:
    for number, half in enumerate(halves(), 1):
        pickled(tmp_path / f"pytorch_model-0000{number}-of-00002.bin", half)
    assert set(only(tmp_path).tensors) == set(state_dict())
    pickled(tmp_path / "pytorch_model-00001-of-00002.bin", {"state_dict": halves()[0]})
    assert "under different keys" in looked(tmp_path).files[0].sentence


@pytest.mark.parametrize("name", ["model-00001-of-00000.safetensors", "model-00003-of-00002.safetensors"])
def test_numbers_that_make_no_sense_are_no_shards(tmp_path: Path, name: str) -> None:
    weights(tmp_path / name)
    assert looked(tmp_path).candidates == ()


def test_a_split_gguf_file_is_to_be_joined(gguf: Path, tmp_path: Path) -> None:
    (tmp_path / "a-00001-of-00002.gguf").write_bytes(gguf.read_bytes())
    assert "llama-gguf-split --merge" in looked(tmp_path).sentence


def test_one_shard_by_itself_brings_the_others_along(folder: Path) -> None:
    assert tuple(path.name for path in found(folder / NAMES[1]).candidates[0].weights) == NAMES
