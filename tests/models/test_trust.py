"""What is built and opened at once, and what goes through a box first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from core import load
from core.models.checking_tokenizers import BoxedReader
from core.models.opening.config_trust import is_plain, require_proportion
from core.models.opening.tokenizer_trust import kept_out
from tests.sentences import refused
from tests.tiny import save_model, tiny_config

SHARD = "model-0000{}-of-00002.safetensors"


@pytest.fixture
def folder(gpt2_folder: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(gpt2_folder, tmp_path / "model")


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama", "t5", "marian", "roberta", "qwen2"])
def test_families_whose_modules_are_counted_by_layers_need_no_box(kind: str) -> None:
    assert is_plain(tiny_config(kind).to_dict())


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gpt2", "n_layer": 201},
        {"model_type": "gpt2", "n_layer": "3"},
        {"model_type": "gpt2", "n_layer": True},
        {"model_type": "gpt2", "n_positions": 1_000_000},
        {"model_type": "t5", "num_layers": 150, "num_decoder_layers": 150},
        {"model_type": "llama", "text_config": {"num_hidden_layers": 3}},
        {"model_type": "albert", "num_hidden_layers": 3, "num_hidden_groups": 1_000},
        {"model_type": "albert", "num_hidden_layers": 3, "inner_group_num": 100},
        {"model_type": "bert", "num_labels": 1_000_000},
        {"model_type": "vit", "num_hidden_layers": 3},
        {},
    ],
)
def test_all_others_do(config: dict[str, Any]) -> None:
    assert not is_plain(config)


def test_a_network_far_larger_than_its_files_is_refused() -> None:
    with torch.device("meta"):
        network = torch.nn.Linear(10_000, 10_000)
    require_proportion("it", network, 100_000_000)
    with refused("100,010,000 weights", "hold 1,000 bytes"):
        require_proportion("it", network, 1_000)


@pytest.mark.parametrize(
    "changes",
    [
        {"n_embd": 10**9},
        {"n_layer": 10**6},
        {"n_layer": -1},
        {"n_layer": 2.0},
        {"vocab_size": "many"},
        {"n_head": True},
        {"model_type": ["gpt2"]},
        {"decoder": {"decoder": {}}},
    ],
)
def test_absurd_configs_are_refused_before_any_library_reads_them(folder: Path, changes: dict[str, Any]) -> None:
    change(folder / "config.json", **changes)
    with refused("config.json"):
        load(str(folder))


def test_code_that_a_config_names_is_told_in_the_report(folder: Path) -> None:
    change(folder / "config.json", auto_map={"AutoModel": "evil.Model"})
    assert any("auto_map" in note for note in load(str(folder)).report.notes)


def test_a_small_tokenizer_of_known_steps_is_opened_here(folder: Path) -> None:
    assert kept_out(folder, "gpt2", None) is None


@pytest.mark.parametrize("vocabulary", [{"a": 1, "b": 1}, {"a": -1}, {"a": "0"}, []])
def test_a_contradictory_vocabulary_is_refused(folder: Path, vocabulary: Any) -> None:
    path = folder / "tokenizer.json"
    told = json.loads(path.read_text())
    told["model"]["vocab"] = vocabulary
    path.write_text(json.dumps(told))
    with refused("tokenizer.json"):
        load(str(folder))


def test_a_tokenizer_that_may_hang_reads_in_a_box_and_reads_the_same(folder: Path, gpt2_folder: Path) -> None:
    path = folder / "tokenizer.json"
    told = json.loads(path.read_text())
    never = {"type": "Split", "pattern": {"Regex": "(z+)+y"}, "behavior": "Isolated", "invert": False}
    told["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [never, told["pre_tokenizer"]]}
    path.write_text(json.dumps(told))
    model = load(str(folder))
    assert isinstance(model.encoder.reader, BoxedReader)
    plain = load(str(gpt2_folder))
    assert model.encode("the cat sat").ids == plain.encode("the cat sat").ids
    assert model.report.tokenizer_size == plain.report.tokenizer_size


def test_a_class_of_another_family_is_refused_whatever_the_config_calls_itself(folder: Path) -> None:
    change(folder / "config.json", architectures=["SwinModel"])
    with refused("SwinModel", "none of the family gpt2"):
        load(str(folder), device="cpu")


@pytest.mark.parametrize("spoil", ["with the prefix and without", "by the old name of a norm and the new"])
def test_two_tensors_for_one_place_are_refused(tmp_path: Path, spoil: str, byte_level: tokenizers.Tokenizer) -> None:
    folder = tmp_path
    save_model(folder, "bert", AutoModel, byte_level)
    tensors = load_file(folder / "model.safetensors")
    if spoil == "with the prefix and without":
        more = {f"bert.{name}": tensor + 1 for name, tensor in tensors.items()}
    else:
        old = (name for name in tensors if name.endswith("LayerNorm.weight"))
        more = {name.replace("weight", "gamma"): tensors[name] + 1 for name in old}
    save_file(tensors | more, folder / "model.safetensors", metadata={"format": "pt"})
    with refused("which are one weight of the network"):
        load(str(folder), device="cpu")


def test_shards_that_overlap_are_refused_though_an_index_names_them(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    for number in (1, 2):
        save_file({name: tensor + number for name, tensor in tensors.items()}, folder / SHARD.format(number))
    index = {name: SHARD.format(1 + place % 2) for place, name in enumerate(tensors)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    with refused("two of its files hold the tensor"):
        load(str(folder), device="cpu")


def test_weights_that_are_not_what_the_config_says_of_them_are_called_what_they_are(folder: Path) -> None:
    change(folder / "config.json", quantization_config={"quant_method": "fp8"})
    report = load(str(folder), device="cpu").report
    assert "Its config.json says that its weights came quantised, but its files hold float32 alone." in report.notes


def test_coarse_weights_beside_scales_that_nothing_explains_are_refused(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    name = next(name for name in tensors if name.endswith("attn.c_attn.weight"))
    coarse = {name: tensors[name].to(torch.float8_e4m3fn), f"{name}_scale_inv": torch.ones(1)}
    save_file(tensors | coarse, folder / "model.safetensors", metadata={"format": "pt"})
    with refused("1 of its weights are 8-bit fractions"):
        load(str(folder), device="cpu")


@pytest.mark.parametrize(
    "content", ["[" * 100_000, "[]", '{"a": 1' + " " * 4_000_001 + "}", '{"a": NaN}', '{"a": 1, "a": 2}']
)
def test_settings_for_writing_are_bounded_like_a_config(folder: Path, content: str) -> None:
    (folder / "generation_config.json").write_text(content)
    with refused("generation_config.json"):
        load(str(folder))
