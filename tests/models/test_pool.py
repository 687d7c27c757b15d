import json
import os
import shutil
from pathlib import Path

import pytest

from core.jobs import Job
from core.models import estimate
from core.models.pool import ModelPool, openable
from tests.sentences import refused


@pytest.fixture
def job() -> Job:
    return Job("ann", "Open")


@pytest.fixture
def rooted(gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model below a root, by its path."""
    shutil.copytree(gpt2_folder, tmp_path / "root" / "tiny")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path / "root"))
    return tmp_path / "root" / "tiny"


def test_a_model_is_opened_once(rooted: Path, job: Job) -> None:
    pool = ModelPool(1 << 30)
    assert pool.get("tiny", "float32", job) is pool.get("tiny", "float32", job)
    assert pool.get("tiny", "bfloat16", job) is not pool.get("tiny", "float32", job)


def test_a_model_larger_than_the_pool_is_refused_and_not_read(rooted: Path, job: Job) -> None:
    steps: list[str] = []
    pool = ModelPool(1000)
    with refused("this server keeps at most", "smaller model"):
        pool.get("tiny", "float32", Job("ann", "Open", lambda progress: steps.append(progress.step)))
    assert "trying it out" not in steps


def test_folders_outside_the_roots_stay_closed(gpt2_folder: Path, rooted: Path, job: Job) -> None:
    with refused("no model folder below"):
        ModelPool(1 << 30).get(str(gpt2_folder), "float32", job)


def test_catalogue_names_and_folders_below_the_roots_are_openable(rooted: Path) -> None:
    assert openable("all-MiniLM-L6-v2") == "all-MiniLM-L6-v2"
    assert openable("tiny") == openable(str(rooted)) == str(rooted)


def test_a_folder_of_its_own_opens_for_whoever_names_it_until_it_is_closed(gpt2_folder: Path, job: Job) -> None:
    pool = ModelPool(1 << 30)
    model = pool.get("mine", "float32", job, folder=gpt2_folder)
    assert model.name == "mine"
    assert pool.get("mine", "float32", job, folder=gpt2_folder) is model
    with refused("mine"):
        pool.get("mine", "float32", job)
    pool.close(gpt2_folder)
    assert pool.get("mine", "float32", job, folder=gpt2_folder) is not model


def test_insisting_is_another_model(rooted: Path, job: Job) -> None:
    pool = ModelPool(1 << 30)
    assert pool.get("tiny", "float32", job, insist=True) is not pool.get("tiny", "float32", job)


@pytest.fixture
def two(rooted: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ModelPool, int]:
    """A pool on a machine with room for one model and a half beside what must stay free, and the size of a model."""
    pool = ModelPool(1 << 41)
    shutil.copytree(rooted, rooted.parent / "other")
    size = pool.get("tiny", "float32", Job("ann", "Open")).nbytes
    room = estimate.SPARE_BYTES + size + size // 2
    monkeypatch.setattr(estimate, "free_nbytes", lambda device: room - pool._models.nbytes)
    return pool, size


def test_models_that_nobody_uses_make_room(two: tuple[ModelPool, int], job: Job) -> None:
    pool, size = two
    assert pool.get("other", "float32", job).name == "other"
    assert pool._models.nbytes == size
    assert next(iter(pool._models.keys()))[0] == "other"


def test_nothing_is_let_go_for_a_model_that_never_fits(two: tuple[ModelPool, int], rooted: Path, job: Job) -> None:
    pool, size = two
    huge = shutil.copytree(rooted, rooted.parent / "huge")
    _claim(huge / "model.safetensors", 1 << 40)
    with refused("huge takes", "free", "smaller model"):
        pool.get("huge", "float32", job)
    assert pool._models.nbytes == size


def _claim(path: Path, nbytes: int) -> None:
    """A file that holds nothing and takes no room, but has the length of a tensor of so many bytes."""
    header = json.dumps({"w": {"dtype": "F32", "shape": [nbytes // 4], "data_offsets": [0, nbytes]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(path, 8 + len(header) + nbytes)


def test_a_name_of_the_hub_is_told_to_be_downloaded(rooted: Path) -> None:
    with refused("no-such-owner/name is not downloaded", "download it first"):
        openable("no-such-owner/name")
