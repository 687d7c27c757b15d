"""LoRA adapters: added in memory to a base of the catalogue, and to nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForCausalLM

from core import load
from core.models import shipped
from core.models.adapters.adding import linear_modules
from core.models.model import Model
from core.training.fine_tuning import classifier_from, with_lora
from tests.sentences import refused
from tests.tiny import WIDTH, network_of, save_model, tiny_config

TEXT = "a warm and funny film"
BASE, NAME = "tiny-base", "tiny-lora"
HEAD = {"group": "sentiment", "summary": "Tells good from bad", "licence": "MIT", "rank": 1, "base": BASE}
LABELS = ("negative", "positive")


@pytest.fixture(scope="module", autouse=True)
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of shipped models."""
    root = tmp_path_factory.mktemp("weights")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "WEIGHTS", root)
        yield root


@pytest.fixture(scope="module")
def trained(weights: Path, byte_level: tokenizers.Tokenizer) -> PeftModel:
    return adapted(weights, "bert", BASE, NAME, byte_level)


@pytest.fixture(scope="module")
def original(weights: Path, trained: PeftModel) -> Path:
    """The adapter's folder among the shipped models; read only."""
    return weights / NAME


@pytest.fixture
def folder(tmp_path: Path, original: Path) -> Path:
    """A copy to be spoilt; the README that peft wrote stays behind."""
    copy = tmp_path / NAME
    copy.mkdir()
    for file in ("adapter_config.json", "adapter_model.safetensors", "config.json", "training.json"):
        (copy / file).write_bytes((original / file).read_bytes())
    return copy


@pytest.fixture(scope="module")
def opened(original: Path) -> Model:
    return load(str(original))


@torch.no_grad()
def test_it_answers_as_the_adapted_model_that_was_trained(opened: Model, trained: PeftModel) -> None:
    trace = opened.run(TEXT)
    expected = trained(input_ids=torch.tensor([trace.tokens.ids])).logits[0]
    torch.testing.assert_close(trace.output.values, expected, rtol=1e-5, atol=1e-5)
    assert set(trace.output.names) == set(LABELS)


@torch.no_grad()
def test_a_base_that_keeps_its_weights_transposed_fits_too(weights: Path, byte_level: tokenizers.Tokenizer) -> None:
    trained = adapted(weights, "gpt2", "tiny-gpt2", "tiny-gpt2-lora", byte_level)
    trace = load("tiny-gpt2-lora").run(TEXT)
    expected = trained(input_ids=torch.tensor([trace.tokens.ids])).logits[0]
    torch.testing.assert_close(trace.output.values, expected, rtol=1e-5, atol=1e-5)


def test_its_report_counts_what_was_added_and_nothing_is_random(opened: Model) -> None:
    report = opened.report
    assert report.reinitialised == ()
    assert (report.adapted, report.rank, report.brought) == (6, 4, ("classifier.bias", "classifier.weight"))
    said = [line.sentence for line in report.lines()]
    assert "A LoRA adapter added changes of rank 4 to 6 weights, and brought 2 tensors whole." in said
    assert f"{report.loaded} tensors were loaded, all that the model has." in said
    base = load(BASE)
    assert report.loaded == base.report.loaded + 2
    assert opened.revision != base.revision


def test_one_among_the_shipped_models_opens_by_its_name(opened: Model) -> None:
    by_name = load(NAME, dtype="bfloat16")
    assert (by_name.name, by_name.revision) == (NAME, opened.revision)
    assert by_name.dtype == torch.bfloat16
    assert by_name.run(TEXT).output.likeliest[0][0] == opened.run(TEXT).output.likeliest[0][0]


def test_an_adapter_of_16_bits_is_cast_and_counted(folder: Path) -> None:
    tensors = {name: tensor.half() for name, tensor in load_file(folder / "adapter_model.safetensors").items()}
    save_file(tensors, folder / "adapter_model.safetensors")
    assert ("float16", "float32", len(tensors)) in load(str(folder)).report.cast


def test_the_base_that_peft_s_config_names_is_not_followed(folder: Path, opened: Model) -> None:
    change(folder / "adapter_config.json", base_model_name_or_path="https://example.invalid/evil", revision="main")
    assert torch.equal(load(str(folder)).run(TEXT).output.values, opened.run(TEXT).output.values)


def test_a_folder_with_whole_weights_too_is_refused(folder: Path) -> None:
    save_file({"a": torch.zeros(1)}, folder / "model.safetensors")
    with refused("beside whole weights"):
        load(str(folder))


@pytest.mark.parametrize("base", [None, 3, "no-such-model", "/etc", NAME])
def test_a_base_that_is_no_whole_model_of_the_catalogue_is_refused(folder: Path, base: Any) -> None:
    tell(folder, {**HEAD, "base": base})
    with refused("merge" if base in (None, 3) else "no whole model of the catalogue"):
        load(str(folder))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"peft_type": "IA3"}, "an adapter of the kind IA3"),
        ({"peft_type": "<b>\n"}, "an adapter of the kind <b>\\n"),
        ({"peft_type": 3}, "does not describe a LoRA adapter"),
        ({"r": 0}, "does not describe a LoRA adapter"),
        ({"r": "8"}, "does not describe a LoRA adapter"),
        ({"r": True}, "does not describe a LoRA adapter"),
        ({"lora_alpha": float("nan")}, "does not describe a LoRA adapter"),
        ({"lora_alpha": 10**400}, "does not describe a LoRA adapter"),
        ({"lora_alpha": -1e300}, "does not describe a LoRA adapter"),
        ({"bias": "some"}, "does not describe a LoRA adapter"),
        ({"rank_pattern": [3]}, "does not describe a LoRA adapter"),
        ({"use_qalora": True}, "no plain LoRA adapter (use_qalora)"),
        ({"init_lora_weights": "pissa_niter_4"}, "changed its base before it was trained (init_lora_weights pissa"),
        ({"alpha_pattern": {"(a+)+b": 2}}, "the pattern (a+)+b"),
        ({"alpha_pattern": {".*.*.*.*": 2}}, "more than the name of a module"),
        ({"use_dora": True}, "does not fit its base"),
        ({"rank_pattern": {"query": 2}}, "does not fit its base"),
        ({"r": 5}, "does not fit its base"),
        ({"target_modules": ["key"]}, "does not fit its base"),
    ],
)
def test_a_config_that_says_something_else_is_refused(folder: Path, changes: dict[str, Any], said: str) -> None:
    change(folder / "adapter_config.json", **changes)
    with refused(said):
        load(str(folder))


QUERY = "base_model.model.bert.encoder.layer.0.attention.self.query"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda tensors: tensors.pop(f"{QUERY}.lora_A.weight"),
        lambda tensors: tensors.pop(f"{QUERY}.lora_B.weight"),
        lambda tensors: tensors.update({f"{QUERY}.lora_A.weight": torch.zeros(4, 7)}),
        lambda tensors: tensors.update({f"{QUERY}.lora_B.weight": torch.zeros(WIDTH)}),
        lambda tensors: tensors.update({"base_model.model.classifier.weight": torch.zeros(3, WIDTH)}),
        lambda tensors: tensors.update({"base_model.model.elsewhere.weight": torch.zeros(3)}),
        lambda tensors: tensors.update({f"{QUERY}.lora_B.weight": torch.zeros(WIDTH, 4, dtype=torch.int8)}),
    ],
)
def test_tensors_without_a_place_are_refused(folder: Path, spoil: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    tensors = load_file(folder / "adapter_model.safetensors")
    spoil(tensors)
    save_file(tensors, folder / "adapter_model.safetensors")
    with refused("does not fit its base", "no place there"):
        load(str(folder))


def test_only_linear_weights_that_no_other_module_has_are_changed() -> None:
    network = network_of(tiny_config("gpt2"), auto=AutoModelForCausalLM)
    found = set(linear_modules(network))
    assert "transformer.h.0.attn.c_attn" in found
    # Word embeddings are no linear layer, and the output layer has the same weight.
    assert not {"transformer.wte", "lm_head"} & found


def test_an_adapter_of_nothing_is_refused(folder: Path) -> None:
    save_file({}, folder / "adapter_model.safetensors")
    with refused("holds no tensor"):
        load(str(folder))


def test_pickles_are_not_even_looked_at(folder: Path) -> None:
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with refused("adapter_model.safetensors"):
        load(str(folder))


def test_damaged_weights_are_refused(folder: Path) -> None:
    whole = (folder / "adapter_model.safetensors").read_bytes()
    (folder / "adapter_model.safetensors").write_bytes(whole[:-9])
    with refused("damaged"):
        load(str(folder))


def adapted(weights: Path, kind: str, base: str, name: str, tokenizer: tokenizers.Tokenizer) -> PeftModel:
    """A tiny base and its LoRA adapter as two shipped models; every part of the adapter is far from where it began."""
    save_model(weights / base, kind, AutoModel, tokenizer)
    tell(weights / base, {**HEAD, "base": None})
    network, _ = classifier_from(weights / base, LABELS, seed=0)
    trained = with_lora(network, rank=4, alpha=16, dropout=0.1, seed=0)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in filter(lambda weight: weight.requires_grad, trained.parameters()):
            weight.copy_(torch.randn(weight.shape, generator=generator) * 0.3)
    trained.save_pretrained(str(weights / name))
    trained.config.architectures = [type(trained.get_base_model()).__name__]
    trained.config.save_pretrained(weights / name)
    tell(weights / name, {**HEAD, "base": base})
    return trained.eval()


def tell(folder: Path, head: dict[str, Any]) -> None:
    (folder / "training.json").write_text(json.dumps({"shipped": head}), encoding="utf-8")


def change(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **values}), encoding="utf-8")
