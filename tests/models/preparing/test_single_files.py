"""Single files in a notebook: what leaves no doubt is prepared once, the rest says what has to be chosen."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
import tokenizers
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, PreTrainedModel

from core import load
from core.models.preparing import prepared_file
from tests.sentences import refused
from tests.tiny import save_model


@torch.no_grad()
def test_what_lies_beside_a_file_is_taken_along_and_the_folder_is_made_once(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel]
) -> None:
    state = {f"module.{name}": tensor for name, tensor in classifier[1].state_dict().items()}
    save_file(state, with_tokenizer / "net.safetensors")
    save_file({"other": torch.zeros(1)}, with_tokenizer / "other.safetensors")
    shutil.copy(classifier[0] / "config.json", with_tokenizer / "config.json")
    folder = prepared_file(with_tokenizer / "net.safetensors")
    own = load(str(folder), device="cpu").network.state_dict()
    assert all(torch.equal(own[name], tensor) for name, tensor in classifier[1].state_dict().items())
    assert prepared_file(with_tokenizer / "." / "net.safetensors") == folder
    save_file(state | {"module.more": torch.zeros(1)}, with_tokenizer / "net.safetensors")
    assert prepared_file(with_tokenizer / "net.safetensors") != folder


def test_a_file_opens_by_its_path(with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel]) -> None:
    shutil.copy(classifier[0] / "model.safetensors", with_tokenizer / "film.safetensors")
    shutil.copy(classifier[0] / "config.json", with_tokenizer / "config.json")
    opened = load(str(with_tokenizer / "film.safetensors"), device="cpu")
    assert opened.name == "film"


def test_a_file_on_another_disk_opens_too(classifier: tuple[Path, PreTrainedModel], root: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == root.parent.stat().st_dev:
        pytest.skip("there is no second disk here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        for name in ("model.safetensors", "config.json", "tokenizer.json"):
            shutil.copy(classifier[0] / name, Path(other) / name)
        folder = prepared_file(Path(other) / "model.safetensors")
    assert (folder / "model.safetensors").read_bytes() == (classifier[0] / "model.safetensors").read_bytes()


def test_heads_that_no_tensor_tells_have_to_be_chosen(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel]
) -> None:
    shutil.copy(classifier[0] / "model.safetensors", with_tokenizer / "net.safetensors")
    with refused("net.safetensors", "BertForSequenceClassification", "number of its heads", "config.json"):
        prepared_file(with_tokenizer / "net.safetensors")


def test_a_tokenizer_that_is_not_there_has_to_be_chosen(upload: Path, classifier: tuple[Path, PreTrainedModel]) -> None:
    for name in ("model.safetensors", "config.json"):
        shutil.copy(classifier[0] / name, upload / name)
    with refused("has no tokenizer", "tokenizer.json"):
        prepared_file(upload / "model.safetensors")


@pytest.mark.parametrize("name", ["odd.safetensors", "odd.pt", "odd.gguf", "odd.bin", "odd.txt"])
def test_a_file_that_holds_no_weights_is_refused(upload: Path, root: Path, name: str) -> None:
    (upload / name).write_bytes(b"\0" * 100)
    with refused("odd"):
        prepared_file(upload / name)
    assert list(root.glob("upload-*")) == []


def test_a_file_that_is_not_there_is_refused(upload: Path) -> None:
    for name in ("none.pt", "x" * 5_000, "nul\0.pt"):
        with refused("cannot be read"):
            prepared_file(upload / name)


def test_what_is_guessed_of_a_file_stands_in_its_report(upload: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(upload, "qwen3", AutoModelForCausalLM, byte_level)
    (upload / "config.json").unlink()
    report = load(str(upload / "model.safetensors"), device="cpu").report
    assert not report.reinitialised
    assert any(words.startswith("rope_theta") and words.endswith(", guessed") for words in report.assumed)
    assert all(words in report.remark for words in report.assumed)
    assert dict(report.taken) == {"rms_norm_eps": 1e-6, "max_position_embeddings": 32_768}
    assert report.takes_longest
