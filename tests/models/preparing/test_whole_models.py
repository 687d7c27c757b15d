"""Whole models: each way in opens with `load` and has the same weights, to the bit, as the model that was packed."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModelForCausalLM, PreTrainedModel

from core import load
from core.models.finding import Candidate, found
from core.models.guessing import answered, guesses
from core.models.intake import Intake, Limits
from core.models.preparing import Choices, prepare
from core.models.tokenizing import FromFile
from tests.sentences import refused
from tests.tiny import save_model

TEXT = "the cat sat on the mat"
HEADS = {"num_attention_heads": 4}


def the_one_in(folder: Path) -> Candidate:
    (candidate,) = found(folder).candidates
    return candidate


def config_of(candidate: Candidate) -> dict[str, Any]:
    return answered(guesses(candidate.tensors)[0], HEADS)


def assert_same(folder: Path, network: PreTrainedModel) -> None:
    opened = load(str(folder), device="cpu")
    assert opened.report.reinitialised == opened.report.unexpected == ()
    own = opened.network.state_dict()
    assert own.keys() == network.state_dict().keys()
    for name, tensor in network.state_dict().items():
        assert torch.equal(own[name], tensor), name
    ids = torch.tensor([opened.encoder.encode(TEXT).ids])
    # Where weights lie in memory changes the last bits of sums.
    torch.testing.assert_close(opened.network(input_ids=ids).logits, network(input_ids=ids).logits)


def told(folder: Path) -> dict[str, Any]:
    said = json.loads((folder / "prepared.json").read_text(encoding="utf-8"))
    assert said.keys() == {"way", "notes"}
    return dict(said)


@torch.no_grad()
def test_a_whole_folder_is_linked_and_programs_stay_behind(
    upload: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    shutil.copytree(classifier[0], upload, dirs_exist_ok=True)
    for stray in ("modeling_evil.py", "notes.txt", "training_args.bin.exe"):
        (upload / stray).write_text("print('run')")
    folder = prepare(the_one_in(upload), Choices(), into)
    assert folder == into.folder
    names = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "prepared.json"}
    assert {path.name for path in folder.iterdir()} == names
    assert (folder / "model.safetensors").samefile(upload / "model.safetensors")
    assert told(folder) == {"way": "safetensors", "notes": []}
    shutil.rmtree(upload)
    assert_same(folder, classifier[1])


@torch.no_grad()
def test_a_pickled_state_dict_with_a_wrapper_s_prefix_needs_only_a_config(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    torch.save({f"module.{name}": t for name, t in classifier[1].state_dict().items()}, with_tokenizer / "net.pt")
    candidate = the_one_in(with_tokenizer)
    with refused("architecture"):
        prepare(candidate, Choices(), into)
    folder = prepare(candidate, Choices(config=config_of(candidate)), into)
    assert_same(folder, classifier[1])
    said = told(folder)
    assert said["way"] == "pickle"
    assert len(said["notes"]) == 2
    assert "“module.bert.embeddings" in said["notes"][1]


@torch.no_grad()
def test_a_checkpoint_of_lightning_is_unwrapped(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    state = {f"model.{name}": tensor for name, tensor in classifier[1].state_dict().items()}
    state["model.bert.embeddings.position_ids"] = torch.arange(64)[None]
    rest = {"epoch": 3, "optimizer_states": [{"state": {0: {"exp_avg": torch.ones(3)}}}], "loops": {}}
    noted = {"hyper_parameters": {"args": argparse.Namespace(width=32, inner=argparse.Namespace(heads=4))}}
    torch.save({**rest, **noted, "state_dict": state}, with_tokenizer / "last.ckpt")
    candidate = the_one_in(with_tokenizer)
    folder = prepare(candidate, Choices(config=config_of(candidate)), into)
    assert_same(folder, classifier[1])
    assert any("computes it itself" in note and "position_ids" in note for note in told(folder)["notes"])


@torch.no_grad()
@pytest.mark.parametrize("with_index", [True, False])
def test_shards_open_with_and_without_their_index(
    upload: Path, into: Intake, byte_level: tokenizers.Tokenizer, with_index: bool
) -> None:
    network = save_model(upload, "gpt2", AutoModelForCausalLM, byte_level)
    (upload / "model.safetensors").unlink()
    network.save_pretrained(upload, max_shard_size="60KB")
    shards = sorted(path.name for path in upload.glob("model-*.safetensors"))
    assert len(shards) > 1
    if not with_index:
        (upload / "model.safetensors.index.json").unlink()
    folder = prepare(the_one_in(upload), Choices(), into)
    assert sorted(path.name for path in folder.glob("model-*.safetensors")) == shards
    assert_same(folder, network)


@torch.no_grad()
def test_shards_under_other_names_are_written_under_those_of_the_model(
    with_tokenizer: Path, into: Intake, classifier: tuple[Path, PreTrainedModel]
) -> None:
    state = {f"net.model.{name}": tensor for name, tensor in classifier[1].state_dict().items()}
    names = sorted(state)
    for number, part in enumerate((names[:20], names[20:]), 1):
        save_file({name: state[name] for name in part}, with_tokenizer / f"run-0000{number}-of-00002.safetensors")
    candidate = the_one_in(with_tokenizer)
    folder = prepare(candidate, Choices(config=config_of(candidate)), into)
    assert set(json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"]) == {
        name.removeprefix("net.model.") for name in names
    }
    assert_same(folder, classifier[1])


def test_a_head_that_the_file_lacks_stays_for_the_report_and_a_base_class_needs_none(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], root: Path
) -> None:
    body = {name: t for name, t in classifier[1].state_dict().items() if not name.startswith("classifier")}
    save_file(body, with_tokenizer / "body.safetensors")
    candidate = the_one_in(with_tokenizer)
    guessed = config_of(candidate)
    assert guessed["architectures"] == ["BertModel"]
    with Intake() as one, Intake() as other:
        whole = load(str(prepare(candidate, Choices(config=guessed), one)), device="cpu")
        assert whole.report.reinitialised == whole.report.unexpected == ()
        headed = guessed | {"architectures": ["BertForSequenceClassification"]}
        report = load(str(prepare(candidate, Choices(config=headed), other)), device="cpu").report
        assert set(report.missing) == {"classifier.weight", "classifier.bias"}
        assert report.random_body == ()


def test_a_wrapped_head_of_another_shape_is_told_by_its_shape(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    save_file({f"net.{n}": t for n, t in classifier[1].state_dict().items()}, with_tokenizer / "net.safetensors")
    candidate = the_one_in(with_tokenizer)
    config = config_of(candidate) | {"num_labels": 5}
    report = load(str(prepare(candidate, Choices(config=config), into)), device="cpu").report
    assert report.mismatched == ("classifier.bias", "classifier.weight")
    assert report.unexpected == report.missing == ()


@torch.no_grad()
def test_a_tokenizer_that_was_chosen_takes_the_place_of_the_model_s(
    upload: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    for name in ("config.json", "model.safetensors"):
        shutil.copy(classifier[0] / name, upload / name)
    choice = FromFile(classifier[0] / "tokenizer.json")
    assert_same(prepare(the_one_in(upload), Choices(tokenizer=choice), into), classifier[1])


@torch.no_grad()
def test_a_file_without_the_name_of_the_stack_is_linked_and_opens(
    upload: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    shutil.copytree(classifier[0], upload, dirs_exist_ok=True)
    state = {name.removeprefix("bert."): tensor for name, tensor in classifier[1].state_dict().items()}
    save_file(state, upload / "model.safetensors")
    folder = prepare(the_one_in(upload), Choices(), into)
    assert (folder / "model.safetensors").samefile(upload / "model.safetensors")
    assert_same(folder, classifier[1])


def test_numbers_keep_their_format(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    state: dict[str, Tensor] = {f"module.{n}": t.bfloat16() for n, t in classifier[1].state_dict().items()}
    save_file(state, with_tokenizer / "net.safetensors")
    candidate = the_one_in(with_tokenizer)
    made = load_file(prepare(candidate, Choices(config=config_of(candidate)), into) / "model.safetensors")
    assert all(torch.equal(made[name.removeprefix("module.")], tensor) for name, tensor in state.items())


@torch.no_grad()
@pytest.mark.parametrize("is_below", [True, False])
def test_on_another_disk_a_file_below_the_models_folder_is_linked_and_others_are_copied(
    classifier: tuple[Path, PreTrainedModel], into: Intake, monkeypatch: pytest.MonkeyPatch, is_below: bool
) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == into.folder.stat().st_dev:
        pytest.skip("there is no second disk here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        shutil.copytree(classifier[0], Path(other) / "model")
        if is_below:
            monkeypatch.setenv("HEADLIGHT_MODELS", other)
        folder = prepare(the_one_in(Path(other) / "model"), Choices(), into)
        assert (folder / "model.safetensors").is_symlink() == is_below
        assert_same(folder, classifier[1])


def test_a_config_without_a_class_is_enough_where_the_tensors_tell_it(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake
) -> None:
    config = json.loads((classifier[0] / "config.json").read_text())
    del config["architectures"]
    (with_tokenizer / "config.json").write_text(json.dumps(config))
    save_file({f"network.{n}": t for n, t in classifier[1].state_dict().items()}, with_tokenizer / "net.safetensors")
    made = load_file(prepare(the_one_in(with_tokenizer), Choices(), into) / "model.safetensors")
    assert made.keys() == classifier[1].state_dict().keys()


@pytest.mark.parametrize("size", [2_000, 100_000])
def test_beyond_the_bound_nothing_is_left(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], size: int
) -> None:
    save_file({f"module.{n}": t for n, t in classifier[1].state_dict().items()}, with_tokenizer / "net.safetensors")
    candidate = the_one_in(with_tokenizer)
    with Intake(Limits(nbytes=size)) as small:
        with refused("takes", "HEADLIGHT_UPLOAD_MB"):
            prepare(candidate, Choices(config=config_of(candidate)), small)
        assert list(small.folder.iterdir()) == []


def test_a_folder_that_holds_something_is_refused(upload: Path, into: Intake) -> None:
    into.add("config.json", [b"{}"])
    with pytest.raises(ValueError, match="empty"):
        prepare(Candidate("odd", "model", upload, ()), Choices(), into)
    assert [path.name for path in into.folder.iterdir()] == ["config.json"]
