"""Safetensors under new names: the same bits, whatever the names, formats and shapes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.models.checking_files import header_of
from core.models.preparing.change import Change
from core.models.preparing.naming import loads_as_named, naming
from core.models.preparing.safetensors_writing import changed
from tests.examples import examples
from tests.sentences import refused
from tests.tiny import tiny_network

FORMATS = (torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.float64)
NAMES = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=12).filter(lambda n: n[0] != "_")


@st.composite
def state_dicts(draw: st.DrawFn) -> dict[str, Tensor]:
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    made = {}
    for name in names:
        shape = draw(st.lists(st.integers(0, 5), max_size=3))
        dtype = draw(st.sampled_from(FORMATS))
        made[name] = (torch.rand(shape) * 100).to(dtype)
    return made


@given(state_dicts(), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_the_same_bits_under_new_names(tensors: dict[str, Tensor], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.sampled_from(sorted(tensors)), unique=True))
    new = data.draw(st.lists(NAMES, min_size=len(kept), max_size=len(kept), unique=True))
    names = dict(zip(kept, new, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.safetensors", Path(folder) / "b.safetensors"
        save_file(tensors, source)
        target.write_bytes(b"".join(changed(source, header_of(source), Change(names))))
        assert header_of(target).tensors.keys() == set(new)
        made = load_file(target)
    for old, name in names.items():
        assert made[name].dtype == tensors[old].dtype
        assert torch.equal(made[name], tensors[old])


def test_a_config_that_asks_for_a_huge_network_changes_no_name() -> None:
    shapes = {"module.a.weight": (3, 4), "module.b": (2,)}
    for size in (10**9, -1, "many", 1.5, None, [1] * 10_000):
        config = {"model_type": "bert", "architectures": ["BertModel"], "num_hidden_layers": size, "hidden_size": size}
        assert naming(shapes, config).names == {name: name for name in shapes}


def test_lists_may_not_ask_for_many_modules_either() -> None:
    config = {"model_type": "bert", "architectures": ["BertModel"]}
    for depths in ([10**6], [2, -1], [[1]], [1, 2, 900]):
        assert naming({"a": (1,)}, config | {"depths": depths}).names == {"a": "a"}


def test_many_times_many_modules_are_not_built() -> None:
    config = {
        "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_hidden_layers": 1_000,
        "num_local_experts": 1_000,
    }  # fmt: skip
    assert naming({"a": (1,)}, config).names == {"a": "a"}


def test_names_of_a_config_without_a_class_stay() -> None:
    for config in ({}, {"model_type": "bert"}, {"model_type": 3, "architectures": "BertModel"}, {"architectures": []}):
        assert naming({"a": (1,)}, config).names == {"a": "a"}


def test_things_of_transformers_that_are_no_networks_are_not_called() -> None:
    for thing in ("pipeline", "Trainer", "AutoModel", "PreTrainedModel", "logging", "no such thing", "__init__"):
        config = {"model_type": "bert", "architectures": [thing]}
        assert naming({"module.a": (1,)}, config).names == {"module.a": "module.a"}


def test_names_that_loading_understands_by_itself_are_kept() -> None:
    shapes = {name: tuple(tensor.shape) for name, tensor in tiny_network("bert").state_dict().items()}
    config = tiny_network("bert").config.to_dict() | {"architectures": ["BertModel"]}
    former = {name.replace("LayerNorm.weight", "LayerNorm.gamma"): shape for name, shape in shapes.items()}
    for known in (shapes, former, {f"bert.{name}": shape for name, shape in former.items()}):
        assert loads_as_named(naming(known, config))
    for wrapper in ("module.", "network.", "net.model.", "module.bert."):
        assert not loads_as_named(naming({wrapper + name: shape for name, shape in shapes.items()}, config))


def test_a_tensor_whose_name_another_one_gets_is_left_out_and_told() -> None:
    shapes = {name: tuple(tensor.shape) for name, tensor in tiny_network("bert").state_dict().items()}
    taken = "embeddings.LayerNorm.weight"
    clashing = {f"module.{name}": shape for name, shape in shapes.items()} | {taken: (7, 7)}
    config = tiny_network("bert").config.to_dict() | {"architectures": ["BertModel"]}
    named = naming(clashing, config)
    assert taken not in named.names
    assert named.names[f"module.{taken}"] == taken
    assert any(taken in note and "left out" in note for note in named.notes)


def test_two_networks_in_one_file_are_not_mixed() -> None:
    network = tiny_network("gpt2")
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    config = network.config.to_dict() | {"architectures": ["GPT2Model"]}
    for first, second in (("", "module."), ("transformer.", "module."), ("module.", "transformer.")):
        two = {f"{first}{name}": shape for name, shape in shapes.items()}
        assert len(naming(two, config).names) == len(shapes)
        with refused("may hold two networks"):
            naming(two | {f"{second}wte.weight": shapes["wte.weight"]}, config)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "dac", "architectures": ["DacModel"], "n_codebooks": 100_000},
        {"model_type": "mimi", "architectures": ["MimiModel"], "num_quantizers": 100_000},
        {"model_type": "albert", "architectures": ["AlbertModel"], "num_hidden_groups": 90_000},
        {"model_type": "albert", "architectures": ["AlbertModel"], "inner_group_num": 90_000},
        {"model_type": "bert", "architectures": ["SwinModel"], "depths": [1_000] * 4},
        {"model_type": "bert", "architectures": ["DacModel"], "n_codebooks": 100_000},
    ],
)
def test_networks_whose_modules_nobody_can_count_are_not_built_for_their_names(config: dict[str, Any]) -> None:
    begun = time.monotonic()
    assert naming({"module.a": (1,)}, config).names == {"module.a": "module.a"}
    assert time.monotonic() - begun < 5
