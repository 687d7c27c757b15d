"""Fine-tuning: a classifier on a pretrained encoder, whole, with frozen layers, and by LoRA."""

import json
import random
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model

from core import load
from core.errors import HeadlightError
from core.training.__main__ import main
from core.training.fine_tuning import base_folder, classifier_from, merged, with_lora
from core.training.vocabulary import word_tokenizer

LABELS = ("bad", "good")
TEXTS = ["a nice cat", "an awful dog", "the nice bird", "the awful fish"]
IDS = torch.tensor([[4, 5, 6, 2], [7, 8, 9, 2]])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random encoder of three layers, with words as its tokens."""
    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=32,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    word_tokenizer(TEXTS, 40).save_pretrained(folder)
    return folder


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    draw = random.Random(0)
    rows = [f"{'bad' if 'awful' in text else 'good'}\t{text} {n}\n" for n in range(60) for text in [draw.choice(TEXTS)]]
    file = tmp_path / "labelled.tsv"
    file.write_text("".join(rows), encoding="utf-8")
    return file


def fine_tuned(base: Path, data: Path, out: Path, *values: str) -> dict[str, torch.Tensor]:
    small = [f"base={base}", "steps=3", "batch_size=4", "evaluate_every=3", "warmup=0", "patience=0"]
    start = ["fine-tune", "--data", str(data), "--out", str(out)]
    assert main([*start, "--set", *small, "learning_rate=0.01", *values]) == 0
    return load_file(out / "model.safetensors")


def test_the_same_seed_gives_the_same_new_classifier(base: Path) -> None:
    one, two, three = (classifier_from(base, LABELS, seed)[0].classifier.weight for seed in (1, 1, 2))
    assert torch.equal(one, two)
    assert not torch.equal(one, three)


def test_a_base_in_16_bits_is_trained_in_32(base: Path, tmp_path: Path) -> None:
    BertModel.from_pretrained(base, dtype=torch.bfloat16).save_pretrained(tmp_path)
    word_tokenizer(TEXTS, 40).save_pretrained(tmp_path)
    network, _ = classifier_from(tmp_path, LABELS, 0)
    assert {value.dtype for value in network.parameters()} == {torch.float32}


def test_a_base_without_padding_is_filled_up_with_its_end_token(labelled: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=40, n_embd=16, n_layer=1, n_head=2, n_positions=16, eos_token_id=2, bos_token_id=1)
    GPT2Model(config).save_pretrained(tmp_path / "gpt2")
    tokenizer = word_tokenizer(TEXTS, 40)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path / "gpt2")
    fine_tuned(tmp_path / "gpt2", labelled, tmp_path / "out", "layer_decay=1", "longest=100")
    stated = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert stated["pad_token_id"] == 2
    assert load(str(tmp_path / "out")).run("a nice cat").output.likeliest
    tokenizer.eos_token = None
    tokenizer.save_pretrained(tmp_path / "gpt2")
    with pytest.raises(HeadlightError, match="no end token to fill batches with"):
        classifier_from(tmp_path / "gpt2", LABELS, 0)


def test_frozen_layers_keep_their_weights_and_the_others_do_not(base: Path, labelled: Path, tmp_path: Path) -> None:
    after, before = fine_tuned(base, labelled, tmp_path / "out", "freeze=2"), load_file(base / "model.safetensors")
    changed = {name for name, value in before.items() if not torch.equal(value, after[f"bert.{name}"])}
    layers = {name.split(".")[2] for name in changed if name.startswith("encoder.layer.")}
    assert layers == {"2"}
    assert not any(name.startswith("embeddings") for name in changed)


def test_lora_changes_nothing_at_its_start_and_trains_little(base: Path) -> None:
    plain, _ = classifier_from(base, LABELS, 0)
    before = plain.eval()(IDS).logits
    adapted = with_lora(plain, rank=2, alpha=4, dropout=0.0, seed=0)
    assert torch.allclose(adapted.eval()(IDS).logits, before, atol=1e-6)
    trained = {name for name, value in adapted.named_parameters() if value.requires_grad}
    assert trained
    assert all("lora_" in name or "classifier" in name for name in trained)


def test_merged_lora_computes_what_the_adapter_did(base: Path, tmp_path: Path) -> None:
    adapted = with_lora(classifier_from(base, LABELS, 0)[0], rank=2, alpha=4, dropout=0.0, seed=0)
    for name, value in adapted.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(value, std=0.1)
    with torch.no_grad():
        logits = adapted.eval()(IDS).logits
        plain = merged(adapted, tmp_path)
        assert torch.allclose(plain.eval()(IDS).logits, logits, atol=1e-5)
        again = PeftModel.from_pretrained(classifier_from(base, LABELS, 5)[0], tmp_path)
        assert torch.allclose(again.eval()(IDS).logits, logits, atol=1e-5)


def test_a_lora_classifier_opens_with_its_labels_and_its_adapter_lies_beside(
    base: Path, labelled: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    after = fine_tuned(base, labelled, out, "lora=true", "layer_decay=1", "rank=2")
    before = load_file(base / "model.safetensors")
    changed = {name for name, value in before.items() if not torch.equal(value, after[f"bert.{name}"])}
    assert changed
    assert all(name.endswith(("query.weight", "value.weight")) for name in changed)
    assert (out / "adapter" / "adapter_model.safetensors").is_file()
    assert {label for label, _ in load(str(out)).run("a nice cat").output.likeliest} == set(LABELS)


def test_the_default_base_comes_with_the_installation() -> None:
    assert (base_folder("all-MiniLM-L6-v2") / "model.safetensors").is_file()


def test_a_base_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="neither in the catalogue nor a folder"):
        base_folder("nothing-of-this-name")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(HeadlightError, match="no encoder that can classify"):
        classifier_from(tmp_path, LABELS, 0)
