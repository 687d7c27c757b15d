"""Every kind of LoRA that is added computes what peft computes with the same files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from core import load
from tests.sentences import refused
from tests.tiny import save_model

TEXT = "a warm and funny film"
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("bert", {}),
    "rank-stabilised": ("bert", {"use_rslora": True}),
    "patterns": ("bert", {"rank_pattern": {"layer.1.attention.self.query": 2, r"^bert.*value$": 3},
                          "alpha_pattern": {"value": 32, r"layer\.\d+\.attention\.self\.query": 5.5}}),
    "patterns of roots": ("bert", {"use_rslora": True, "rank_pattern": {"query": 2}, "alpha_pattern": {"value": 7}}),
    "direction": ("bert", {"use_dora": True}),
    "direction, transposed": ("gpt2", {"use_dora": True, "fan_in_fan_out": True}),
    "biases": ("bert", {"bias": "all"}),
    "some layers": ("bert", {"layers_to_transform": [1]}),
    "embeddings": ("bert", {"target_modules": ["query", "word_embeddings"]}),
    "embeddings with a direction": ("bert", {"target_modules": ["word_embeddings"], "use_dora": True}),
    "embeddings that the head shares": ("gpt2", {"target_modules": ["c_attn", "wte"], "fan_in_fan_out": True}),
    "whole embeddings that the head shared": ("gpt2", {"modules_to_save": ["wte"], "fan_in_fan_out": True}),
    "whole norms": ("llama", {"target_modules": ["q_proj", "down_proj"], "modules_to_save": ["norm"]}),
}  # fmt: skip
TARGETS = {"bert": ["query", "value"], "gpt2": ["c_attn"], "llama": ["q_proj"]}


def adapted(folder: Path, family: str, tokenizer: tokenizers.Tokenizer, **settings: Any) -> PeftModel:
    """A tiny adapter with its base in the folder below it; every part of it is far from where it began."""
    auto = AutoModelForSequenceClassification if family == "bert" else AutoModelForCausalLM
    network = save_model(folder / "base", family, auto, tokenizer)
    config = LoraConfig(
        **{
            "task_type": "SEQ_CLS" if family == "bert" else "CAUSAL_LM",
            "r": 4,
            "lora_alpha": 6,
            "target_modules": TARGETS[family],
            **settings,
        }
    )
    trained = get_peft_model(network, config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in filter(lambda weight: weight.requires_grad, trained.parameters()):
            weight.copy_(torch.randn(weight.shape, generator=generator).abs() * 0.2)
    trained.save_pretrained(str(folder), safe_serialization=True)
    (folder / "README.md").unlink()
    return trained.eval()


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_are_those_that_peft_merges(kind: str, tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    family, settings = KINDS[kind]
    trained = adapted(tmp_path, family, byte_level, **settings)
    opened = load(str(tmp_path))
    ids = torch.tensor([opened.encode(TEXT).ids])
    torch.testing.assert_close(opened.network(ids).logits, trained(ids).logits, rtol=1e-5, atol=1e-5)
    shared = "head share" in kind
    own = opened.network.state_dict()
    for name, weight in trained.merge_and_unload().state_dict().items():
        # peft changes the head along with what it shares when it merges, and not before.
        if not (shared and name == "lm_head.weight"):
            torch.testing.assert_close(own[name], weight, rtol=1e-6, atol=1e-6)
    assert opened.report.reinitialised == ()
    assert opened.report.nbytes == 4 * opened.report.parameters
    assert opened.report.adapted > 0


def test_the_head_s_classes_are_those_that_the_adapter_brings(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    adapted(tmp_path, "bert", byte_level)
    save_model(tmp_path / "base", "bert", AutoModelForCausalLM, byte_level, num_labels=5)
    report = load(str(tmp_path)).report
    assert report.architecture == "BertForSequenceClassification"
    assert {"classifier.bias", "classifier.weight"} == set(report.brought)


@pytest.mark.parametrize("spoil", ["adapter_config.json", "config.json"])
def test_a_base_below_that_is_no_whole_model_is_refused(
    spoil: str, tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    adapted(tmp_path, "bert", byte_level)
    if spoil == "config.json":
        (tmp_path / "base" / spoil).unlink()
    else:
        shutil.copy(tmp_path / spoil, tmp_path / "base")
    with refused("folder base", "no whole model"):
        load(str(tmp_path))


def test_an_adapter_of_another_base_is_refused(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    adapted(tmp_path, "bert", byte_level)
    save_model(tmp_path / "base", "bert", AutoModelForSequenceClassification, byte_level, hidden_size=16)
    with refused("does not fit its base", "choose the base"):
        load(str(tmp_path))


@pytest.mark.parametrize("lengths", [torch.ones(3), torch.ones(2, 16)])
def test_lengths_of_a_wrong_shape_are_refused(
    lengths: torch.Tensor, tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    adapted(tmp_path, "bert", byte_level, use_dora=True)
    path = tmp_path / "adapter_model.safetensors"
    tensors = load_file(path)
    name = next(name for name in tensors if "magnitude" in name)
    save_file(tensors | {name: lengths}, path)
    with refused("does not fit its base"):
        load(str(tmp_path))


def test_what_adapter_config_json_calls_its_base_is_not_followed(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    adapted(tmp_path, "bert", byte_level)
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"base_model_name_or_path": "/etc"}))
    assert load(str(tmp_path)).report.adapted == 6
