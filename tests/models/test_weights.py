from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from core.models.checking_files.entries import Stored
from core.models.opening.weights import WRAPPERS, weights_of, without, wrapper_of
from tests.sentences import refused
from tests.tiny import network_of, tiny_config

NETWORKS = [
    ("bert", AutoModelForMaskedLM),
    ("distilbert", AutoModelForMaskedLM),
    ("gpt2", AutoModelForCausalLM),
    ("llama", AutoModelForCausalLM),
    ("gpt_neox", AutoModelForCausalLM),
    ("t5", AutoModelForSeq2SeqLM),
    ("bart", AutoModelForSeq2SeqLM),
]


@pytest.mark.parametrize(("kind", "auto"), NETWORKS, ids=[kind for kind, _ in NETWORKS])
def test_a_wrapper_is_seen_where_there_is_one_and_nowhere_else(kind: str, auto: object) -> None:
    network = network_of(tiny_config(kind), auto=auto)
    base = network.base_model_prefix
    names = list(network.state_dict())
    of_the_base = [name.removeprefix(f"{base}.") for name in names if name.startswith(f"{base}.")]
    for files in filter(None, (names, of_the_base)):
        assert wrapper_of(files, network, base) == ""
        for prefix in WRAPPERS:
            assert wrapper_of([prefix + name for name in files], network, base) in (prefix, equivalent(prefix, base))


def equivalent(prefix: str, base: str) -> str:
    """Of a network whose own prefix is "model.", "module.model." before its base is "module." before the whole."""
    return prefix.removesuffix(f"{base}.")


def test_names_of_another_network_have_no_wrapper() -> None:
    network = network_of(tiny_config("gpt2"))
    assert wrapper_of(["module.conv.weight", "model.conv.bias"], network, "transformer") == ""
    assert wrapper_of([], network, "transformer") == ""


def test_only_the_beginning_of_a_name_is_taken_off() -> None:
    assert without("") == {}
    assert without("module.") == {r"^module\.": ""}


def test_formats_and_sizes_are_read_from_both_kinds_of_files(tmp_path: Path) -> None:
    tensors = {
        "half": torch.zeros(2, 3, dtype=torch.float16),
        "brain": torch.zeros(5, dtype=torch.bfloat16),
        "scalar": torch.tensor(1.0),
        "numbers": torch.zeros(7, dtype=torch.int64),
    }
    expected = {
        "half": Stored("float16", (2, 3)),
        "brain": Stored("bfloat16", (5,)),
        "scalar": Stored("float32", ()),
        "numbers": Stored("int64", (7,)),
    }
    for name in ("model.safetensors", "pytorch_model.bin"):
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        if name.endswith("bin"):
            torch.save(tensors, folder / name)
        else:
            save_file(tensors, folder / name)
        files = weights_of("it", folder)
        assert files.tensors == expected
        assert files.pickled == name.endswith("bin")
        # Fractions are cast, whole numbers are not.
        assert files.nbytes(torch.float32) == 4 * (6 + 5 + 1) + 8 * 7
        assert files.nbytes(torch.bfloat16) == 2 * (6 + 5 + 1) + 8 * 7


@pytest.mark.parametrize("content", [b"", b"garbage" * 50, b"PK\x03\x04" + b"\0" * 50, b"\x80\x02}q\0."])
def test_pickles_that_are_damaged_or_hold_no_tensors_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(content)
    with refused("it", "pytorch_model.bin"):
        weights_of("it", tmp_path)


@pytest.mark.parametrize("held", [[torch.zeros(2)], {"a": 5}, torch.zeros(3), {"state_dict": {"a": torch.zeros(2)}}])
def test_pickles_of_another_form_are_refused(tmp_path: Path, held: object) -> None:
    torch.save(held, tmp_path / "pytorch_model.bin")
    with refused("pytorch_model.bin"):
        weights_of("it", tmp_path)


def test_a_folder_without_weights_is_told_what_it_needs(tmp_path: Path) -> None:
    with refused("model.safetensors", "pytorch_model.bin"):
        weights_of("it", tmp_path)


def test_the_header_agrees_with_the_file(gpt2_folder: Path) -> None:
    tensors = load_file(gpt2_folder / "model.safetensors")
    stored = weights_of("it", gpt2_folder).tensors
    assert {name: (str(t.dtype).removeprefix("torch."), t.numel()) for name, t in tensors.items()} == {
        name: (part.dtype, part.count) for name, part in stored.items()
    }


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"a": 3}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "odd", "shape": [0], "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": 5, "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": ["x", 2], "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [0]}}',
        b'{"a": {"dtype": "F32", "shape": [0], "data_offsets": "ab"}}',
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, header: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with refused("it", "weights are damaged", "model.safetensors"):
        weights_of("it", tmp_path)


def test_a_header_without_end_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 100)
    with refused("weights are damaged"):
        weights_of("it", tmp_path)
