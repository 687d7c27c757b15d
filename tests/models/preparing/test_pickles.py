"""Pickles become safetensors in a box: every number is kept, nothing in them runs, and the box has its limits."""

from __future__ import annotations

import argparse
import pickle
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from core.errors import HeadlightError
from core.jobs import Cancelled, Job, Progress
from core.jobs.boxed import Unboxed, boxed
from core.models.finding import Candidate, found
from core.models.intake import Intake
from core.models.preparing import Choices, prepare
from core.models.preparing.filling import filling
from core.models.preparing.naming import Naming
from core.models.preparing.weight_files import BOX, put, read_all
from tests.evil import Evil
from tests.sentences import refused

NOTHING_MORE = {"turned": [], "zeros": {}}
SHARED = torch.arange(12.0).reshape(3, 4)
ODD: dict[str, Tensor] = {
    "tied.one": SHARED,
    "tied.two": SHARED,
    "strided": SHARED.T,
    "part": SHARED[1:, ::2],
    "bfloat16": torch.randn(3, 5, generator=torch.Generator().manual_seed(0)).bfloat16(),
    "float8": torch.tensor([1.5, -2.0]).to(torch.float8_e4m3fn),
    "scalar": torch.tensor(3, dtype=torch.int64),
    "none": torch.zeros(0, 5),
    "left out": torch.ones(2),
    "truth": torch.tensor([True, False, True]),
    "nan": torch.tensor([float("nan"), float("-inf")]),
    "猫.weight": torch.nn.Parameter(torch.ones(2)),
}


def bits(tensor: Tensor) -> Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


@pytest.fixture
def evil(upload: Path, tmp_path: Path) -> Path:
    """A file of torch.save with a program in it."""
    torch.save({"state_dict": {"a": torch.zeros(2), "b": Evil(tmp_path / "trace")}}, upload / "evil.pt")
    return upload / "evil.pt"


def test_every_number_is_kept_to_the_bit(upload: Path, into: Intake) -> None:
    torch.save({"epoch": 3, "model": ODD}, upload / "odd.pth")
    torch.save({"second": torch.ones(3)}, upload / "other.bin")
    names = {name: f"new.{name}" for name in [*ODD, "second"] if name != "left out"}
    with filling(into, None) as filled:
        put(read_all([upload / "odd.pth", upload / "other.bin"]), Naming(names), filled)
        assert len(filled.notes) == 1
    made = load_file(into.folder / "model-00001-of-00002.safetensors")
    assert made.keys() == {f"new.{name}" for name in ODD if name != "left out"}
    for name, tensor in ODD.items():
        if name != "left out":
            assert made[f"new.{name}"].shape == tensor.shape
            assert torch.equal(bits(made[f"new.{name}"]), bits(tensor)), name


def test_a_program_in_a_pickle_is_refused_and_does_not_run(
    evil: Path, upload: Path, tmp_path: Path, into: Intake
) -> None:
    assert found(upload).candidates == ()
    with refused("evil.pt", "could run as a program"):
        prepare(Candidate("evil", "model", upload, (evil,)), Choices(config={"model_type": "bert"}), into)
    assert list(into.folder.iterdir()) == []
    assert not (tmp_path / "trace").exists()
    assert pickle.loads(pickle.dumps(Evil(tmp_path / "trace"))) is None  # it would have
    assert (tmp_path / "trace").exists()


def test_even_the_box_alone_runs_nothing(evil: Path, tmp_path: Path) -> None:
    file = {
        "source": str(evil),
        "keys": ["state_dict"],
        "target": "made.safetensors",
        "names": {"a": "a"},
        **NOTHING_MORE,
    }
    with pytest.raises(Unboxed) as caught:
        boxed(BOX, {"files": [file]}, seconds=20, nbytes=1 << 29, folder=evil.parent, written_nbytes=1 << 20)
    assert "UnpicklingError" in caught.value.detail
    assert not (tmp_path / "trace").exists()
    assert not (evil.parent / "made.safetensors").exists()


def test_settings_of_a_training_program_stay_unmade_beside_the_tensors(tmp_path: Path) -> None:
    held = {"hyper_parameters": {"args": argparse.Namespace(heads=2)}, "state_dict": {"a": torch.ones(2)}}
    torch.save(held, tmp_path / "last.ckpt")
    (tmp_path / "made").mkdir()
    file = {
        "source": str(tmp_path / "last.ckpt"),
        "keys": ["state_dict"],
        "target": "a.safetensors",
        "names": {"a": "b"},
        **NOTHING_MORE,
    }
    boxed(BOX, {"files": [file]}, seconds=20, nbytes=1 << 29, folder=tmp_path / "made", written_nbytes=1 << 20)
    assert torch.equal(load_file(tmp_path / "made" / "a.safetensors")["b"], torch.ones(2))


def once_read_in_a_box(act: Callable[[], None]) -> Job:
    """A job that does something as soon as a box is to begin."""
    return Job("somebody", "preparing", lambda told: act() if "in a process of its own" in told.step else None)


def test_stopping_it_leaves_nothing(upload: Path, into: Intake) -> None:
    torch.save({"a": torch.zeros(2)}, upload / "net.pt")
    job = once_read_in_a_box(lambda: job.cancel())
    candidate = Candidate("net", "model", upload, (upload / "net.pt",))
    with pytest.raises(Cancelled):
        prepare(candidate, Choices(config={"model_type": "bert"}), into, job)
    assert list(into.folder.iterdir()) == []


def test_the_bar_moves_while_a_box_runs_and_waits_before_its_end(into: Intake) -> None:
    told: list[Progress] = []
    with filling(into, Job("somebody", "preparing", told.append)) as filled:
        clock = filled._clock("reading", 3)
        for second in range(1, 6):
            clock(second)
    assert [progress.done for progress in told] == [0, 1, 2, 3, 3, 3]
    assert {(progress.total, progress.step) for progress in told} == {(4, "reading")}


def test_an_upload_that_is_closed_meanwhile_ends_in_a_sentence(upload: Path, into: Intake) -> None:
    torch.save({"a": torch.zeros(2)}, upload / "net.pt")
    candidate = Candidate("net", "model", upload, (upload / "net.pt",))
    with pytest.raises(HeadlightError):
        prepare(candidate, Choices(config={"model_type": "bert"}), into, once_read_in_a_box(into.close))
    assert not into.folder.exists()


def test_a_damaged_file_is_refused_and_leaves_nothing(upload: Path, into: Intake) -> None:
    torch.save({"a": torch.ones(4)}, upload / "net.pt")
    with zipfile.ZipFile(upload / "net.pt") as packed:
        place = packed.getinfo("net/data/0").header_offset
    raw = bytearray((upload / "net.pt").read_bytes())
    raw[place : place + 4] = b"\0" * 4
    (upload / "net.pt").write_bytes(raw)
    with refused("net.pt"):
        prepare(Candidate("net", "model", upload, (upload / "net.pt",)), Choices(config={"model_type": "bert"}), into)
    assert list(into.folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere address space has no limit")
def test_a_box_with_less_memory_than_the_file_takes_ends(upload: Path) -> None:
    torch.save({"a": torch.zeros(1 << 24)}, upload / "net.pt")
    file = {
        "source": str(upload / "net.pt"),
        "keys": [],
        "target": "made.safetensors",
        "names": {"a": "a"},
        **NOTHING_MORE,
    }
    with pytest.raises(Unboxed) as caught:
        boxed(BOX, {"files": [file]}, seconds=20, nbytes=1 << 24, folder=upload, written_nbytes=1 << 27)
    assert caught.value.reason == "memory"
