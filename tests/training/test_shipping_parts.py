"""Parts of shipping: what does not fit into 16 bits, adapters without their base, the spread over seeds, the names."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertModel

from core.errors import HeadlightError
from core.training.card import Card
from core.training.fine_tuning import classifier_from, merged, with_lora
from core.training.saving import save_card
from core.training.shipping.adapter import save_adapter
from core.training.shipping.half import halved, require_same
from core.training.shipping.names import SEEDS, SHIPMENTS
from core.training.shipping.sentiment import SPREAD, spread
from core.training.shipping.trained import told_by
from core.training.vocabulary import word_tokenizer
from tests.training.small import gru


def card(**scores: float) -> Card:
    return Card("Title", "What it is.", "From us.", {"task": "sentiment"}, scores, facts={"shipped": {"rank": 0}})


def test_a_weight_that_does_not_fit_is_refused() -> None:
    network = gru()
    with torch.no_grad():
        next(network.parameters())[0] = 70_000.0
    with pytest.raises(HeadlightError, match="do not fit into float16"):
        halved(network)


def test_tied_weights_stay_one_tensor() -> None:
    half = halved(gru(tie_word_embeddings=True))
    assert half.get_input_embeddings().weight.dtype == torch.float16
    assert half.get_output_embeddings().weight is half.get_input_embeddings().weight


def test_weights_that_come_back_changed_are_noticed() -> None:
    network, other = gru(), gru()
    require_same(halved(network), halved(network).float(), Path("here"))
    with torch.no_grad():
        next(other.parameters())[0, 0] += 1
    with pytest.raises(HeadlightError, match="here does not open with the weights"):
        require_same(halved(network), other, Path("here"))


def test_an_adapter_is_shipped_with_its_head_and_without_its_base(tmp_path: Path) -> None:
    base, trained, out = tmp_path / "base", tmp_path / "trained", tmp_path / "out"
    config = BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=16,
    )  # fmt: skip
    BertModel(config).save_pretrained(base)
    word_tokenizer(["a cat"], 20).save_pretrained(base)
    network = with_lora(classifier_from(base, ("bad", "good"), 0)[0], 2, 4, 0.0, 0)
    merged(network, trained / "adapter").save_pretrained(trained)
    save_adapter(trained, card(accuracy=0.5), out, "all-MiniLM-L6-v2")
    tensors = load_file(out / "adapter_model.safetensors")
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    assert {"base_model.model.classifier.weight", "base_model.model.classifier.bias"} <= tensors.keys()
    assert all("lora_" in name or "classifier" in name for name in tensors)
    assert str(tmp_path) not in (out / "adapter_config.json").read_text(encoding="utf-8")
    assert json.loads((out / "config.json").read_text(encoding="utf-8"))["id2label"] == {"0": "bad", "1": "good"}
    with pytest.raises(HeadlightError, match="has no adapter"):
        save_adapter(out, card(), out, "all-MiniLM-L6-v2")


def test_the_spread_over_seeds_is_written_into_every_card(tmp_path: Path) -> None:
    for seed, accuracy in enumerate([0.70, 0.72, 0.74, 0.76, 0.78]):
        (tmp_path / f"model-{seed}").mkdir()
        save_card(card(accuracy=accuracy), tmp_path / f"model-{seed}")
    assert spread("model", tmp_path) == spread("model", tmp_path) == "0.7400 ± 0.0316"
    for seed in range(SEEDS):
        assert told_by(tmp_path / f"model-{seed}")["scores"][SPREAD] == "0.7400 ± 0.0316"
        assert "0.7400 ± 0.0316" in (tmp_path / f"model-{seed}" / "README.md").read_text(encoding="utf-8")


def test_a_card_comes_back_from_what_it_wrote(tmp_path: Path) -> None:
    save_card(card(accuracy=0.5), tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"README.md", "training.json"}
    assert told_by(tmp_path)["shipped"] == {"rank": 0}


def test_every_task_has_one_main_model_or_more_and_study_material_comes_last() -> None:
    for group in ("translation", "sentiment", "language-model"):
        ranks = [shipment.rank for shipment in SHIPMENTS.values() if shipment.group == group]
        assert ranks.count(0) >= 1
        assert set(ranks) <= {0, 1, 2}
    assert len(SHIPMENTS) == 6 + 21 + 7
    assert all(len(shipment.summary) < 100 and shipment.summary.endswith(".") for shipment in SHIPMENTS.values())
