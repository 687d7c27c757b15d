import gc
from pathlib import Path

import pytest
import torch

from core import load
from core.models.devices import DTYPES, best_device, describe_device, dtype_named
from core.models.loading import load as load_with
from core.models.model import Model
from tests.sentences import refused


@pytest.mark.parametrize("name", DTYPES)
def test_formats_are_named_as_torch_names_them(name: str) -> None:
    assert str(dtype_named(name)) == f"torch.{name}"


@pytest.mark.parametrize("name", ["float64", "", "int8", "torch.float32"])
def test_other_formats_are_refused(name: str) -> None:
    with refused("choose one of float32, bfloat16, float16"):
        dtype_named(name)


def test_the_best_device_is_there() -> None:
    device = best_device()
    assert torch.ones(2, device=device).sum() == 2
    assert device.split(":")[0] in ("cuda", "mps", "cpu")


def test_devices_are_described_for_people() -> None:
    assert describe_device("cpu") == "CPU"
    assert describe_device("mps") == "Apple GPU (mps)"
    assert describe_device("xpu:1") == "xpu:1"


@pytest.mark.parametrize("device", ["cuda:99", "banana", "meta:x"])
def test_a_device_that_is_not_here_is_refused(device: str) -> None:
    with refused(device, "choose another"):
        load("all-MiniLM-L6-v2", device=device)


@pytest.mark.gpu
def test_cuda_is_chosen_where_there_is_one(minilm: Model) -> None:
    assert best_device() == "cuda:0"
    assert minilm.network.device == torch.device("cuda:0")
    assert torch.cuda.get_device_name(0) in minilm.run("The cat sat.").provenance.device


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_run_on_cuda_passes_its_check_and_agrees_with_the_cpu(dtype: str) -> None:
    text = "猫 and the naïve café 😀 " * 10
    here = load("all-MiniLM-L6-v2", device="cuda:0", dtype=dtype).run(text)
    there = load("all-MiniLM-L6-v2", device="cpu").run(text)
    assert here.provenance.checks[0].passed
    assert here.provenance.dtype == dtype
    tolerance = {"float32": 1e-4, "float16": 0.02, "bfloat16": 0.1}[dtype]
    for layer in range(6):
        mine = here.attention(layer)
        assert mine.device.type == "cpu"
        assert (mine - there.attention(layer)).abs().max() < tolerance


def test_a_model_is_spread_over_main_memory_and_disk_and_computes_the_same(
    gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    whole = load(str(gpt2_folder), device="cpu")
    # Room for about half of it in main memory.
    spread = load_with(str(gpt2_folder), device="auto", memory={"cpu": whole.nbytes // 2})
    places = set(map(str, spread.network.hf_device_map.values()))
    assert places == {"cpu", "disk"}
    assert spread.report.loaded == whole.report.loaded
    assert spread.report.reinitialised == ()
    assert spread.report.nbytes == whole.nbytes
    mine, expected = (model.run("the cat sat on the mat") for model in (spread, whole))
    for layer in range(3):
        assert (mine.attention(layer) - expected.attention(layer)).abs().max() < 1e-6
    assert mine.provenance.checks[0].passed


def test_what_lies_on_the_disk_goes_with_the_model(
    gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    model = load_with(str(gpt2_folder), device="auto", dtype="bfloat16", memory={"cpu": 40_000})
    assert list((tmp_path / "offload").iterdir())
    del model
    gc.collect()
    assert not list((tmp_path / "offload").iterdir())


def test_what_fits_is_not_spread(gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    model = load(str(gpt2_folder), device="auto")
    assert model.device in ("cpu", "cuda:0", "mps")
    assert model.run("the cat sat").provenance.checks[0].passed
