"""Networks for something else than text are refused when they come, and what programs note of theirs is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from core.models.finding.noted import MOST_LABELS, labels_beside
from core.models.finding.reading import reads_instead
from tests.models.finding.uploads import file, looked, model, pickled, state_dict, told, weights


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "vit", "architectures": ["ViTForImageClassification"]}, "images (pixel_values)"),
        ({"model_type": "vit"}, "ViTModel, which reads images (pixel_values) and no text"),
        ({"model_type": "wav2vec2", "architectures": ["Wav2Vec2ForCTC"]}, "sound (input_values)"),
        ({"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]}, "sound (input_features)"),
        ({"model_type": "clip_vision_model", "architectures": ["CLIPVisionModel"]}, "images (pixel_values)"),
    ],
)
def test_what_is_read_instead_of_text_is_named(config: dict[str, Any], said: str) -> None:
    assert said in reads_instead(config)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "bert", "architectures": ["BertForSequenceClassification"]},
        {"model_type": "t5"},
        {"model_type": "clip_text_model", "architectures": ["CLIPTextModel"]},
        {"model_type": "vit", "architectures": ["os"]},
        {"model_type": "headlight_transformer"},
        {"model_type": ["vit"]},
        {},
    ],
)
def test_networks_that_read_text_and_what_nobody_knows_are_not_refused(config: dict[str, Any]) -> None:
    assert reads_instead(config) == ""


def test_a_network_for_images_is_no_candidate_and_its_weights_say_why(tmp_path: Path) -> None:
    seen = looked(model(tmp_path, model_type="vit", architectures=["ViTForImageClassification"]))
    assert seen.candidates == ()
    said = file(seen, "model.safetensors")
    assert said.severity == "error"
    assert said.sentence.endswith("which reads images (pixel_values) and no text: bring a model that reads text.")
    assert seen.sentence == said.sentence


def test_of_a_network_for_images_in_parts_one_part_says_why(tmp_path: Path) -> None:
    for number in (1, 2):
        name = f"model-0000{number}-of-00002.safetensors"
        weights(tmp_path / name, {f"layer.{number}.weight": torch.zeros(2, 2)})
    told(tmp_path / "config.json", {"model_type": "vit"})
    seen = looked(tmp_path)
    assert "images (pixel_values)" in seen.sentence
    assert [each.severity for each in seen.files].count("error") == 1


def test_a_network_for_images_beside_one_for_text_leaves_the_other_open(tmp_path: Path) -> None:
    model(tmp_path / "text")
    model(tmp_path / "images", model_type="vit", architectures=["ViTModel"])
    assert [candidate.name for candidate in looked(tmp_path).candidates] == ["text"]


def test_a_pickle_of_other_objects_is_given_advice_that_it_can_follow(tmp_path: Path) -> None:
    (tmp_path / "classifier.pkl").write_bytes(b"\x80\x04.")
    said = file(looked(tmp_path), "classifier.pkl").sentence
    assert "of a PyTorch model save the state_dict()" in said
    assert "scikit-learn" in said


def test_what_a_program_noted_of_its_model_stands_beside_its_tensors(tmp_path: Path) -> None:
    noted = {"model_name": "bert-base-mini", "num_labels": 2, "lr": 0.1, "label2id": {"good": 1, "bad": 0}}
    pickled(tmp_path / "a.ckpt", {"state_dict": state_dict(), "hyper_parameters": noted})
    sentence = looked(tmp_path).files[0].sentence
    assert "; beside them model_name “bert-base-mini”, num_labels 2 and the labels “bad”, “good”: weights." in sentence
    assert "lr" not in sentence


def test_many_labels_are_cut_and_strange_values_are_passed_over(tmp_path: Path) -> None:
    labels = {str(number): f"label {number}" for number in range(MOST_LABELS + 1)}
    noted = {"model_name": "", "num_labels": True, "num_classes": 7.5, "id2label": labels}
    pickled(tmp_path / "a.ckpt", {"state_dict": state_dict(), "hparams": noted})
    sentence = looked(tmp_path).files[0].sentence
    assert f"“label {MOST_LABELS - 1}”, …" in sentence
    assert f"label {MOST_LABELS}" not in sentence
    assert "model_name" not in sentence
    assert "num_" not in sentence


@pytest.mark.parametrize("labels", [{"a": 0, "b": 2}, {"a": "0"}, {"a": 0, "b": 0}, {}])
def test_labels_whose_ids_leave_a_gap_are_none(tmp_path: Path, labels: dict[str, Any]) -> None:
    path = pickled(tmp_path / "a.ckpt", {"state_dict": state_dict(), "hparams": {"label2id": labels}})
    assert labels_beside(path) == ()
