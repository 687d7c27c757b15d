import json
from pathlib import Path

import pytest
from huggingface_hub import constants
from hypothesis import given
from hypothesis import strategies as st

from core.models.hub import HubId, hub_id, snapshot, weight_files
from tests.sentences import refused

COMMIT = "f" * 40


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt2", HubId("gpt2")),
        ("owner/name", HubId("owner/name")),
        ("Qwen/Qwen2.5-0.5B", HubId("Qwen/Qwen2.5-0.5B")),
        ("owner/name@v1.0", HubId("owner/name", "v1.0")),
        ("owner/name@refs/pr/3", HubId("owner/name", "refs/pr/3")),
        (f"owner/name@{COMMIT}", HubId("owner/name", COMMIT)),
    ],
)
def test_names_of_the_hub(name: str, expected: HubId) -> None:
    assert hub_id(name) == expected
    assert str(expected) == name


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "/", "a/", "/a", "a/b/c", "../a", "a/..", "a/.b", "./a", "~/a", "a\\b", "C:\\a", "a:b", "a b",
        "http://host/a", "https://huggingface.co/gpt2", "file:///etc/passwd", "a--b/c", "a@", "a@..", "a@x/../y",
        "a@/x", "a@x/", "a@-x", "a@x.lock", "a\n", "a\0", "a?b", "a#b", "a%2e%2e", "x" * 200, "a@" + "x" * 200, "é",
    ],
)  # fmt: skip
def test_paths_addresses_and_oddities_are_no_names(name: str) -> None:
    assert hub_id(name) is None


@given(st.text(alphabet="ab./-_@~\\: %0", max_size=24))
def test_no_name_leaves_the_cache(name: str) -> None:
    wanted = hub_id(name)
    if wanted is not None:
        cache = Path(constants.HF_HUB_CACHE)
        assert wanted.storage.parent == cache
        reference = wanted.storage / "refs" / wanted.revision
        assert reference.resolve().is_relative_to((wanted.storage / "refs").resolve())


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--owner--name" / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").touch()
    (tmp_path / "models--owner--name" / "refs").mkdir()
    (tmp_path / "models--owner--name" / "refs" / "main").write_text(COMMIT)
    return folder


def test_a_snapshot_is_found_by_branch_and_by_commit(storage: Path) -> None:
    assert snapshot(HubId("owner/name")) == storage
    assert snapshot(HubId("owner/name", COMMIT)) == storage
    assert snapshot(HubId("owner/name", "v2")) is None
    assert snapshot(HubId("owner/other")) is None


@pytest.mark.parametrize("lost", ["config.json", "model.safetensors"])
def test_a_snapshot_that_lacks_something_is_none(storage: Path, lost: str) -> None:
    (storage / lost).unlink()
    assert snapshot(HubId("owner/name")) is None


@pytest.mark.parametrize("content", ["", "../..", "f" * 39, "F" * 40, "\xff"])
def test_a_damaged_reference_leads_nowhere(storage: Path, content: str) -> None:
    (storage.parents[1] / "refs" / "main").write_text(content)
    assert snapshot(HubId("owner/name")) is None


def test_all_files_that_an_index_names_are_needed(storage: Path) -> None:
    (storage / "model.safetensors").unlink()
    (storage / "model-1.safetensors").touch()
    places = {"a": "model-1.safetensors", "b": "model-2.safetensors"}
    (storage / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    assert snapshot(HubId("owner/name")) is None
    with refused("model-2.safetensors", "missing"):
        weight_files(storage)
    (storage / "model-2.safetensors").touch()
    assert snapshot(HubId("owner/name")) == storage
    assert [path.name for path in weight_files(storage)] == ["model-1.safetensors", "model-2.safetensors"]
