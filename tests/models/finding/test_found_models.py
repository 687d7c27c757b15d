"""Models in the ways that people have them, and what each lacks."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from core.models.finding import found
from core.models.intake import Intake, unpack
from core.ui.training.results import zipped
from tests.models.finding.uploads import BERT, file, lacks, looked, model, only, pickled, state_dict, told, weights
from tests.sentences import refused

SHAPES = {name: tuple(tensor.shape) for name, tensor in state_dict().items()}
WEIGHTS = Path(__file__).parents[3] / "core" / "zoo" / "weights"


def test_a_hugging_face_folder_lacks_nothing(gpt2_folder: Path) -> None:
    candidate = only(gpt2_folder)
    assert candidate.kind == "model"
    assert candidate.missing == ()
    assert candidate.weights == (gpt2_folder / "model.safetensors",)
    assert (candidate.config, candidate.tokenizer) == (gpt2_folder / "config.json", gpt2_folder)
    assert candidate.vocabularies == (gpt2_folder / "tokenizer.json",)
    assert "transformer.h.0.attn.c_attn.weight" in candidate.tensors


def test_the_weights_are_told_by_their_header(tmp_path: Path) -> None:
    seen = looked(model(tmp_path))
    assert file(seen, "model.safetensors").sentence.startswith(
        f"model.safetensors: {len(SHAPES)} tensors, 0.1 MB, float32"
    )
    assert file(seen, "model.safetensors").sentence.endswith(": the weights.")
    assert "“bert”" in file(seen, "config.json").sentence


def test_safetensors_go_before_pickles_and_whole_files_before_parts(tmp_path: Path) -> None:
    model(tmp_path)
    pickled(tmp_path / "pytorch_model.bin")
    weights(tmp_path / "model-00001-of-00001.safetensors")
    seen = looked(tmp_path)
    assert [path.name for path in seen.candidates[0].weights] == ["model.safetensors"]
    assert len(seen.candidates) == 1
    for name in ("pytorch_model.bin", "model-00001-of-00001.safetensors"):
        assert "left out, because model.safetensors holds the same weights" in file(seen, name).sentence


def test_where_the_safetensors_are_damaged_the_pickle_is_taken(tmp_path: Path) -> None:
    model(tmp_path).joinpath("model.safetensors").write_bytes(b"\xff" * 40)
    pickled(tmp_path / "pytorch_model.bin")
    seen = looked(tmp_path)
    assert file(seen, "model.safetensors").kind == "refused"
    assert [path.name for path in seen.candidates[0].weights] == ["pytorch_model.bin"]


@pytest.mark.parametrize(
    ("held", "path"),
    [
        (state_dict(), ()),
        ({"state_dict": state_dict(), "epoch": 3, "hyper_parameters": {"lr": 0.1}}, ("state_dict",)),
        ({"model": state_dict(), "optimizer": {"state": {}, "param_groups": []}}, ("model",)),
        ({"model": {"state_dict": state_dict()}}, ("model", "state_dict")),
    ],
)
def test_a_bare_state_dict_lacks_config_and_tokenizer(tmp_path: Path, held: Any, path: tuple[str, ...]) -> None:
    pickled(tmp_path / "epoch=3.ckpt", held)
    candidate = only(tmp_path)
    assert (candidate.name, candidate.path, candidate.tensors) == ("epoch=3", path, SHAPES)
    assert lacks(candidate) == ("config", "tokenizer")
    assert all(f"“{key}”" in looked(tmp_path).files[0].sentence for key in path)


def test_prefixes_of_wrappers_stay_in_the_names(tmp_path: Path) -> None:
    pickled(tmp_path / "a.pt", {f"module.{name}": tensor for name, tensor in state_dict().items()})
    assert set(only(tmp_path).tensors) == {f"module.{name}" for name in SHAPES}


def test_a_model_in_the_format_before_torch_1_6_is_to_be_saved_again(tmp_path: Path) -> None:
    pickled(tmp_path / "old.pt", zipped=False)
    seen = looked(tmp_path)
    assert seen.candidates == ()
    assert "save it again with torch.save" in seen.sentence


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "does not say its model_type"),
        ({"model_type": ["bert"]}, "does not say its model_type"),
        ({"model_type": "no-such"}, "“no-such”, which is no architecture"),
        ({"model_type": "x", "auto_map": {"AutoModel": "m.M"}}, "the program that it brings is never run"),
        ({"model_type": "bert", "architectures": ["NoSuchModel"]}, "“NoSuchModel”, which is no class"),
    ],
)
def test_a_config_that_names_nothing_known_lacks_a_model_type(tmp_path: Path, config: Any, words: str) -> None:
    told(model(tmp_path) / "config.json", config)
    candidate = only(tmp_path)
    assert lacks(candidate) == ("model_type",)
    assert words in candidate.missing[0].sentence
    assert candidate.config == tmp_path / "config.json"


def test_a_config_that_cannot_be_read_is_missing(tmp_path: Path) -> None:
    (model(tmp_path) / "config.json").write_text("[" * 100_000)
    seen = looked(tmp_path)
    assert file(seen, "config.json").kind == "refused"
    assert lacks(seen.candidates[0]) == ("config",)
    assert seen.candidates[0].config is None


def test_a_class_with_a_head_that_no_tensor_is_named_for_lacks_it(tmp_path: Path) -> None:
    model(tmp_path, architectures=["BertForSequenceClassification"])
    candidate = only(tmp_path)
    assert lacks(candidate) == ("head",)
    assert "random weights" in candidate.missing[0].sentence
    weights(tmp_path / "model.safetensors", state_dict() | {"classifier.weight": torch.zeros(2, 32)})
    assert lacks(only(tmp_path)) == ()


def test_two_models_in_one_upload_have_names_of_their_own(tmp_path: Path) -> None:
    model(tmp_path / "small" / "v1")
    model(tmp_path / "large" / "v1")
    weights(tmp_path / "weights.safetensors")
    candidates = looked(tmp_path).candidates
    assert [candidate.name for candidate in candidates[1:]] == ["v1 (large/v1)", "v1 (small/v1)"]
    assert [candidate.root for candidate in candidates] == [tmp_path, tmp_path / "large/v1", tmp_path / "small/v1"]


def test_two_checkpoints_beside_one_config_share_it(tmp_path: Path) -> None:
    told(tmp_path / "config.json", BERT)
    for step in (100, 200):
        pickled(tmp_path / f"step-{step}.pt")
    first, second = looked(tmp_path).candidates
    assert (first.name, second.name) == ("step-100", "step-200")
    assert first.config == second.config == tmp_path / "config.json"


def test_the_same_weights_as_pickle_and_safetensors_are_one_model(tmp_path: Path) -> None:
    pickled(tmp_path / "a.pt")
    weights(tmp_path / "a.safetensors")
    assert [path.name for path in only(tmp_path).weights] == ["a.safetensors"]


def test_a_gguf_file_has_all_it_needs_and_may_be_called_anything(gguf: Path, tmp_path: Path) -> None:
    for name in ("a.gguf", "b.bin"):
        (tmp_path / name).write_bytes(gguf.read_bytes())
    first, second = looked(tmp_path).candidates
    assert (first.kind, second.kind, first.missing, first.tensors) == ("gguf", "gguf", (), {})
    assert "“llama”" in looked(tmp_path).files[0].sentence


def test_downloads_of_the_training_page_lack_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    archive = tmp_path / "reverse.zip"
    archive.write_bytes(zipped(WEIGHTS / "lm-none", "reverse-additive-1"))
    with Intake() as intake:
        unpack(archive, intake)
        candidate = only(intake.folder)
        assert candidate.missing == ()
        assert candidate.name == "headlight_transformer"
        assert file(found(intake.folder), "training.json").kind == "training"


def test_an_archive_inside_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.writestr("config.json", "{}")
    seen = looked(tmp_path)
    assert seen.files[0].kind == "archive"
    assert "upload it by itself" in seen.sentence


@pytest.mark.parametrize("name", ["policy.zip", "best.model", "params.pkl", "checkpoint.pth.tar"])
def test_a_checkpoint_is_one_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    pickled(tmp_path / name)
    assert only(tmp_path).tensors == SHAPES


DENSE = ("config.json", "model.safetensors")


def test_later_steps_of_sentence_transformers_are_no_models(tmp_path: Path) -> None:
    told(model(tmp_path) / "modules.json", [])
    weights(tmp_path / "2_Dense" / "model.safetensors", {"linear.weight": torch.zeros(2, 2)})
    told(tmp_path / "2_Dense" / "config.json", {"in_features": 2})
    assert only(tmp_path).root == tmp_path
    said = {file.path: file for file in found(tmp_path).files}
    assert all("a module of sentence-transformers" in said[f"2_Dense/{name}"].sentence for name in DENSE)
    assert (said["modules.json"].kind, said["2_Dense/config.json"].kind) == ("settings", "settings")


def test_a_file_by_itself_is_found_with_what_belongs_to_it(tmp_path: Path) -> None:
    pickled(model(tmp_path) / "other.pt")
    whole = only(tmp_path / "model.safetensors")
    assert whole.missing == ()
    assert "other.pt" not in {each.path for each in found(tmp_path / "model.safetensors").files}
    (tmp_path / "config.json").unlink()
    alone = only(tmp_path / "model.safetensors")
    assert lacks(alone) == ("config", "tokenizer")
    assert alone.tokenizer is None


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("", "There is no file"),
        ("tf_model.h5 config.json", "There are no weights that Headlight reads: a model has its weights in"),
        ("model.onnx", "There are no weights that Headlight reads"),
        ("classifier.pkl", "There are no weights that Headlight reads"),
        ("config.json tokenizer.json", "no weights beside what describes them"),
        ("README.md", "There are no weights: a model has its weights in"),
        ("a.safetensors", "The file “a.safetensors” is not opened"),
        ("a.safetensors b.pt", "None of the 2 files with an error can be used"),
    ],
)
def test_why_there_is_no_model_is_said(tmp_path: Path, names: str, words: str) -> None:
    for name in names.split():
        (tmp_path / name).write_text("{}")
    assert words in looked(tmp_path).sentence


def test_nothing_to_look_at_is_an_error(tmp_path: Path) -> None:
    with refused("is not there"):
        found(tmp_path / "nothing")
