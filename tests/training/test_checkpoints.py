from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from core.errors import HeadlightError
from core.training.checkpoints import explained_when_full, latest, load, save, save_atomically
from tests.training.small import dropping_trainer, longest_file, same, weights

ROOT = Path(__file__).parents[2]


def state(step: int, size: int = 10) -> dict[str, Any]:
    return {"step": step, "weights": {"w": torch.full((size,), float(step))}, "best": None, "name": "noam"}


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    loaded = load(save(state(7), tmp_path / "new" / "folder"))
    assert loaded["weights"]["w"].tolist() == [7.0] * 10
    assert (loaded["step"], loaded["best"], loaded["name"]) == (7, None, "noam")


def test_a_file_is_replaced_at_once_and_never_written_into(tmp_path: Path) -> None:
    path = tmp_path / "step-00000001.pt"
    save_atomically(state(1), path)
    with path.open("rb") as old:
        save_atomically(state(2), path)
        assert torch.load(old, weights_only=True)["step"] == 1
    assert load(path)["step"] == 2


def test_the_newest_two_are_kept_and_nothing_else(tmp_path: Path) -> None:
    for step in (5, 50, 500):
        save(state(step), tmp_path)
    assert files(tmp_path) == ["step-00000050.pt", "step-00000500.pt"]
    assert latest(tmp_path) == tmp_path / "step-00000500.pt"


def test_the_latest_is_that_with_the_most_steps_and_never_an_unfinished_one(tmp_path: Path) -> None:
    assert latest(tmp_path) is None
    assert latest(tmp_path / "missing") is None
    for name in (".step-00000009.pt.part", "step-x.pt", "step-00000003.pt.bak", "notes.txt"):
        (tmp_path / name).write_bytes(b"half a fi")
    save_atomically(state(123_456_789), tmp_path / "step-123456789.pt")
    save_atomically(state(2), tmp_path / "step-00000002.pt")
    assert latest(tmp_path) == tmp_path / "step-123456789.pt"
    assert ".step-00000009.pt.part" not in files(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = save(state(1), tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(HeadlightError, match=r"step-00000001.pt cannot be read"):
        load(path)


class Mischief:
    def __reduce__(self) -> Any:
        return (os.mkdir, (str(Path(os.environ["MISCHIEF"])),))


def test_nothing_in_a_checkpoint_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISCHIEF", str(tmp_path / "done"))
    for path, write in (
        (tmp_path / "a.pt", torch.save),
        (tmp_path / "b.pt", lambda o, p: p.write_bytes(pickle.dumps(o))),
    ):
        write(Mischief(), path)  # type: ignore[no-untyped-call]
        with pytest.raises(HeadlightError):
            load(path)
    assert not (tmp_path / "done").exists()


@pytest.mark.parametrize("size", [500, 100_000])
def test_a_file_that_may_not_grow_ends_with_one_sentence_and_keeps_the_last_checkpoint(
    tmp_path: Path, size: int
) -> None:
    save(state(1), tmp_path)
    with (
        longest_file(size),
        pytest.raises(HeadlightError, match=r"step-00000002.pt could not .* disk of .* is full; free"),
    ):
        save(state(2, size=100_000), tmp_path)
    assert files(tmp_path) == ["step-00000001.pt"]
    assert load(tmp_path / "step-00000001.pt")["step"] == 1


def test_a_full_disk_under_safetensors_is_the_same_sentence(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with (
        longest_file(500),
        pytest.raises(HeadlightError, match=r"model.safetensors could not .* disk of .* is full; free"),
        explained_when_full(path),
    ):
        save_file({"w": torch.zeros(1000)}, path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no right to mount a disk here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("size", [50_000, 1_000_000])
def test_a_full_disk_ends_with_one_sentence_and_keeps_the_last_checkpoint(small_disk: Path, size: int) -> None:
    save(state(1, size=20_000), small_disk)
    with pytest.raises(HeadlightError, match=r"disk of .* is full; free some space and resume"):
        save(state(2, size=size), small_disk)
    assert files(small_disk) == ["step-00000001.pt"]
    assert load(small_disk / "step-00000001.pt")["weights"]["w"].numel() == 20_000
    save(state(3, size=20_000), small_disk)
    assert latest(small_disk) == small_disk / "step-00000003.pt"


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        save(state(1), tmp_path / "file")


def test_a_killed_run_goes_on_as_if_it_had_never_been_killed(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "tests.training.small", str(tmp_path), "100000"]
    process = subprocess.Popen(run, cwd=ROOT)
    try:
        until = time.monotonic() + 60
        while not any(path.name >= "step-00000004.pt" for path in tmp_path.glob("step-*.pt")):
            assert process.poll() is None, "the run ended by itself"
            assert time.monotonic() < until, "the run wrote no checkpoint"
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    newest = latest(tmp_path)
    assert newest is not None
    step = load(newest)["step"]
    resumed, whole = dropping_trainer(step + 3), dropping_trainer(step + 3)
    resumed.restore(load(newest))
    assert [report.step for report in resumed.run()] == [step + 1, step + 2, step + 3]
    list(whole.run())
    assert same(weights(resumed.network), weights(whole.network))
