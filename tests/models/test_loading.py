import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

from core import load
from core.jobs import Cancelled, Job, Progress
from core.models.loading import load as load_with_job
from tests.sentences import refused
from tests.tiny import WIDTH, save_model


@pytest.fixture
def folder(gpt2_folder: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(gpt2_folder, tmp_path / "model")


def configure(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_opens_under_its_own_name_without_its_path(gpt2_folder: Path) -> None:
    model = load(str(gpt2_folder))
    assert model.name == gpt2_folder.name
    assert model.card.family == "gpt2"
    assert model.report.reinitialised == ()


def test_the_revision_names_the_weights_not_the_folder(folder: Path, gpt2_folder: Path) -> None:
    original, copy = load(str(gpt2_folder)).revision, load(str(folder)).revision
    assert original == copy
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wte.weight"][0, 0] += 1
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert load(str(folder)).revision != original


def test_a_loaded_network_is_ready_to_be_read(gpt2_folder: Path) -> None:
    network = load(str(gpt2_folder)).network
    assert not network.training
    assert not any(weight.requires_grad for weight in network.parameters())


def test_loading_tells_its_three_steps_and_can_be_stopped(gpt2_folder: Path) -> None:
    told: list[Progress] = []
    load_with_job(str(gpt2_folder), job=Job("ann", "Open", told.append))
    assert [(p.done, p.total) for p in told] == [(0, 3), (1, 3), (2, 3)]
    stopped = Job("ann", "Open", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        load_with_job(str(gpt2_folder), job=stopped)


@pytest.mark.parametrize(
    "name", ["no such model", "/nowhere/at/all", "gpt2", "../..", "~nobody-here/x", "a\0b", "x" * 5000, "\ud800"]
)
def test_what_is_neither_a_name_nor_a_folder_is_refused(name: str) -> None:
    with refused("neither in the catalogue (all-MiniLM-L6-v2) nor a folder with a config.json"):
        load(name)


def test_a_folder_without_config_is_refused(folder: Path) -> None:
    (folder / "config.json").unlink()
    with refused("nor a folder with a config.json"):
        load(str(folder))


def test_a_file_is_no_folder(folder: Path) -> None:
    with refused("nor a folder"):
        load(str(folder / "config.json"))


@pytest.mark.parametrize("content", [b"", b"{nope", b"[1, 2]", b"{}", b"\xff\xfe\x00", b'{"model_type": "odd"}'])
def test_a_config_that_names_no_known_architecture_is_refused(folder: Path, content: bytes) -> None:
    (folder / "config.json").write_bytes(content)
    with refused("config.json", "architecture"):
        load(str(folder))


@pytest.mark.parametrize(
    "architectures", [None, [], ["NoSuchModel"], ["pipeline"], ["AutoModel"], ["PreTrainedModel"], "GPT2Model", [3]]
)
def test_an_architecture_that_is_no_model_class_is_refused(folder: Path, architectures: Any) -> None:
    configure(folder, architectures=architectures)
    with refused(str(folder)):
        load(str(folder))


@pytest.mark.parametrize(
    "changes",
    [
        {"architectures": ["LlamaForCausalLM"]},
        {"n_embd": 2 * WIDTH},
        {"n_embd": -3},
        {"n_embd": 2**40},
        {"n_embd": "many"},
        {"n_head": 5},
        {"activation_function": "no such function"},
        {"quantization_config": {"quant_method": "gptq", "bits": 4}},
    ],
)
def test_a_config_that_is_not_that_of_the_weights_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    configure(folder, **changes)
    with refused("config.json"):
        load(str(folder))


def test_remote_code_that_a_config_names_is_not_run(folder: Path) -> None:
    configure(folder, auto_map={"AutoModelForCausalLM": "evil.Model", "AutoConfig": "evil.Config"})
    (folder / "evil.py").write_text("raise SystemExit('this ran')")
    assert load(str(folder)).card.family == "gpt2"


@pytest.mark.parametrize(
    "changes",
    [
        {"return_dict": False},
        {"output_attentions": True},
        {"output_hidden_states": True},
        {"use_cache": True},
        {"attn_implementation": "eager"},
        {"dtype": "float16"},
        {"attn_pdrop": 0.5},
    ],
)
def test_settings_of_a_config_do_not_change_how_a_model_is_read(
    folder: Path, gpt2_folder: Path, changes: dict[str, Any]
) -> None:
    configure(folder, **changes)
    mine, expected = (load(str(path)).run("the cat sat") for path in (folder, gpt2_folder))
    assert mine.provenance.dtype == "float32"
    assert torch.equal(mine.output.values, expected.output.values)
    assert torch.equal(mine.attention(2), expected.attention(2))


def test_an_encoder_decoder_is_refused_until_it_can_run(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "t5", AutoModelForSeq2SeqLM, byte_level)
    with refused("encoder-decoder"):
        load(str(tmp_path))


_SMALL = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4, intermediate_size=WIDTH)


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("bloom", dict(hidden_size=WIDTH, n_layer=2, n_head=4)),
        ("deberta", _SMALL),
        ("deberta-v2", _SMALL),
        ("gemma2", dict(_SMALL, num_key_value_heads=2, head_dim=8)),
        ("mamba", dict(hidden_size=WIDTH, num_hidden_layers=2)),
    ],
)
def test_a_class_without_sdpa_is_refused(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, sizes: dict[str, Any]
) -> None:
    save_model(tmp_path, kind, AutoModel, byte_level, **sizes)
    with refused("in its own way", "choose another model"):
        load(str(tmp_path))


def test_a_class_that_leaves_the_interface_aside_is_refused(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    sizes = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4)
    save_model(tmp_path, "falcon", AutoModelForCausalLM, byte_level, **sizes)
    with refused("without calling the attention interface", "choose another model"):
        load(str(tmp_path))


def test_a_model_that_reads_no_text_is_refused(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    sizes = dict(_SMALL, image_size=8, patch_size=4)
    save_model(tmp_path, "vit", AutoModel, byte_level, **sizes)
    with refused("does not read text"):
        load(str(tmp_path))


def test_pickled_weights_are_not_opened(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with refused("no model.safetensors", "save the model once more"):
        load(str(folder))


def test_pickled_weights_are_not_opened_beside_other_safetensors_either(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").rename(folder / "adapter.safetensors")
    with refused("weights are damaged"):
        load(str(folder))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"garbage" * 100,
        lambda content: content[:-1000],
        lambda content: content[: len(content) // 2],
        lambda content: b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    ],
    ids=["empty", "garbage", "end cut", "half", "lfs pointer"],
)
def test_damaged_weights_are_refused(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with refused("weights are damaged"):
        load(str(folder))


def test_weights_that_lack_attention_tensors_are_refused_and_named(folder: Path) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    kept = {name: weight for name, weight in weights.items() if ".1.attn." not in name}
    save_file(kept, path, metadata={"format": "pt"})
    with refused(f"{len(weights) - len(kept)} of its layers' tensors", "transformer.h.1.attn.", "random"):
        load(str(folder))


@pytest.mark.parametrize("lost", ["transformer.wte.weight", "transformer.h.0.mlp.c_fc.weight", "transformer.ln_f.bias"])
def test_weights_that_lack_any_tensor_of_the_layers_are_refused(folder: Path, lost: str) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights[lost]
    save_file(weights, path, metadata={"format": "pt"})
    with refused("1 of its layers' tensors", lost, "random"):
        load(str(folder))


def test_a_lost_head_and_unknown_tensors_are_reported(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "bert", AutoModelForSequenceClassification, byte_level)
    path = tmp_path / "model.safetensors"
    weights = load_file(path)
    del weights["classifier.bias"], weights["bert.pooler.dense.weight"]
    save_file(weights | {"bert.extra": torch.zeros(3)}, path, metadata={"format": "pt"})
    model = load(str(tmp_path))
    report = model.report
    assert report.loaded == len(model.network.state_dict()) - 2
    assert report.missing == report.reinitialised == ("bert.pooler.dense.weight", "classifier.bias")
    assert report.unexpected == ("bert.extra",)
    assert report.random_body == ()


def test_a_folder_without_tokenizer_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with refused("no tokenizer", "tokenizer.json"):
        load(str(folder))


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\x00"])
def test_a_damaged_tokenizer_is_refused(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    with refused("tokenizer"):
        load(str(folder))
