"""Adapters open with their base beside them or out of the catalogue, and answer as the model that was trained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModel

from core import load
from core.models import shipped
from core.models.finding import Candidate, found
from core.models.intake import Intake
from core.models.preparing import Choices, prepare
from core.models.preparing.tasks import config_for
from core.training.fine_tuning import classifier_from, with_lora
from tests.sentences import refused
from tests.tiny import save_model

TEXT = "a warm and funny film"
LABELS = ("bad", "middling", "good")
BASE = "tiny-base"


@pytest.fixture(scope="module", autouse=True)
def weights(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> Iterator[Path]:
    """A catalogue with one tiny base in it."""
    root = tmp_path_factory.mktemp("weights")
    save_model(root / BASE, "bert", AutoModel, byte_level)
    head = {"group": "sentiment", "summary": "Nothing", "licence": "MIT", "rank": 1, "base": None}
    (root / BASE / "training.json").write_text(json.dumps({"shipped": head}), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "WEIGHTS", root)
        yield root


@pytest.fixture(scope="module")
def trained(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PeftModel]:
    """An adapter of peft, far from where it began, as peft saves it; read only."""
    network, _ = classifier_from(weights / BASE, LABELS, seed=0)
    adapted = with_lora(network, rank=4, alpha=16, dropout=0.1, seed=0)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in filter(lambda weight: weight.requires_grad, adapted.parameters()):
            weight.copy_(torch.randn(weight.shape, generator=generator) * 0.3)
    folder = tmp_path_factory.mktemp("adapter")
    adapted.save_pretrained(str(folder))
    return folder, adapted.eval()


@pytest.fixture
def adapter(upload: Path, trained: tuple[Path, PeftModel]) -> Path:
    """A copy of it in an upload."""
    folder = upload / "adapter"
    folder.mkdir()
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        shutil.copy(trained[0] / name, folder / name)
    return folder


def the_adapter_in(folder: Path) -> Candidate:
    (candidate,) = [one for one in found(folder).candidates if one.kind == "adapter"]
    return candidate


@torch.no_grad()
def assert_same(folder: Path, trained: PeftModel) -> None:
    trace = load(str(folder), device="cpu").run(TEXT)
    expected = trained(input_ids=torch.tensor([trace.tokens.ids])).logits[0]
    assert expected.shape == (len(LABELS),)
    torch.testing.assert_close(trace.output.values, expected, rtol=1e-5, atol=1e-5)


def test_on_a_base_of_the_catalogue_with_the_head_that_its_task_asks_for(
    upload: Path, adapter: Path, trained: tuple[Path, PeftModel], into: Intake
) -> None:
    folder = prepare(the_adapter_in(upload), Choices(base=BASE), into)
    config = json.loads((folder / "config.json").read_text())
    assert (config["architectures"], config["num_labels"]) == (["BertForSequenceClassification"], 3)
    assert json.loads((folder / "training.json").read_text())["shipped"]["base"] == BASE
    assert json.loads((folder / "prepared.json").read_text()) == {"way": "adapter", "notes": []}
    assert (folder / "adapter_model.safetensors").samefile(adapter / "adapter_model.safetensors")
    assert_same(folder, trained[1])


def test_on_the_base_that_came_beside_it(
    upload: Path, adapter: Path, weights: Path, trained: tuple[Path, PeftModel], into: Intake
) -> None:
    shutil.copytree(weights / BASE, upload / "base")
    candidate = the_adapter_in(upload)
    assert candidate.bases == (upload / "base",)
    folder = prepare(candidate, Choices(base=candidate.bases[0]), into)
    assert (folder / "base" / "model.safetensors").samefile(upload / "base" / "model.safetensors")
    assert not (folder / "training.json").exists()
    shutil.rmtree(upload)
    assert_same(folder, trained[1])


def test_on_any_whole_model_of_the_session(
    upload: Path, adapter: Path, weights: Path, trained: tuple[Path, PeftModel], into: Intake, tmp_path: Path
) -> None:
    base = shutil.copytree(weights / BASE, tmp_path / "session" / "my-bert")
    (base / "prepared.json").write_text(json.dumps({"assumed": ["2 heads, guessed"]}), encoding="utf-8")
    folder = prepare(the_adapter_in(upload), Choices(base=base), into)
    assert (folder / "base" / "model.safetensors").samefile(base / "model.safetensors")
    assert load(str(folder), device="cpu").report.remark == "2 heads, guessed"
    shutil.rmtree(base)
    assert_same(folder, trained[1])


def test_a_pickled_adapter_becomes_safetensors(
    upload: Path, adapter: Path, trained: tuple[Path, PeftModel], into: Intake
) -> None:
    tensors = load_file(adapter / "adapter_model.safetensors")
    (adapter / "adapter_model.safetensors").unlink()
    torch.save(tensors, adapter / "adapter_model.bin")
    folder = prepare(the_adapter_in(upload), Choices(base=BASE), into)
    made = load_file(folder / "adapter_model.safetensors")
    assert made.keys() == tensors.keys()
    assert all(torch.equal(made[name], tensor) for name, tensor in tensors.items())
    assert len(json.loads((folder / "prepared.json").read_text())["notes"]) == 1
    assert_same(folder, trained[1])


@pytest.mark.parametrize("base", [None, "no-such-model", Path("/etc")])
def test_a_base_that_is_not_here_is_refused_and_nothing_is_left(
    upload: Path, adapter: Path, into: Intake, base: str | Path | None
) -> None:
    said = json.loads((adapter / "adapter_config.json").read_text()) | {"base_model_name_or_path": "/no/such/model"}
    (adapter / "adapter_config.json").write_text(json.dumps(said))
    with refused("choose" if not isinstance(base, str) else "no whole model of the catalogue"):
        prepare(the_adapter_in(upload), Choices(base=base), into)
    assert list(into.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("task", "architecture"),
    [
        ("SEQ_CLS", "GPT2ForSequenceClassification"),
        ("TOKEN_CLS", "GPT2ForTokenClassification"),
        ("QUESTION_ANS", "GPT2ForQuestionAnswering"),
        ("CAUSAL_LM", "GPT2LMHeadModel"),
        ("FEATURE_EXTRACTION", "GPT2Model"),
        ("SEQ_2_SEQ_LM", "Old"),
        (None, "Old"),
        (["odd"], "Old"),
    ],
)
def test_a_task_asks_for_a_class_of_the_base_s_family(task: object, architecture: str) -> None:
    made = config_for({"model_type": "gpt2", "architectures": ["Old"]}, task, {})
    assert made == {"model_type": "gpt2", "architectures": [architecture]}


def test_labels_of_the_base_stay_where_the_adapter_has_as_many() -> None:
    base = {"model_type": "bert", "id2label": {"0": "no", "1": "yes"}, "label2id": {"no": 0, "yes": 1}}
    head = "base_model.model.classifier.weight"
    assert config_for(base, "SEQ_CLS", {head: (2, 8)})["id2label"] == base["id2label"]
    assert "id2label" not in config_for(base, "SEQ_CLS", {head: (4, 8)})
    assert config_for(base, "SEQ_CLS", {head: (4, 8)})["num_labels"] == 4
