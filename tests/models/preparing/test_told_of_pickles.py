"""What the load report says of a pickle's own: names of labels beside its tensors, and how many these are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel

from core.models.finding import found
from core.models.guessing import answered, guesses
from core.models.intake import Intake
from core.models.preparing import Choices, prepare
from tests.models.preparing.linear_gpt2 import nanogpt, save_as_nanogpt_does


@pytest.mark.parametrize(("labels", "kept"), [({"good": 1, "bad": 0}, True), ({"only": 0}, False)])
def test_labels_are_called_what_the_file_says_where_it_names_as_many(
    with_tokenizer: Path, classifier: tuple[Path, PreTrainedModel], into: Intake, labels: dict[str, int], kept: bool
) -> None:
    noted = {"state_dict": classifier[1].state_dict(), "hyper_parameters": {"label2id": labels}}
    torch.save(noted, with_tokenizer / "epoch=3.ckpt")
    (candidate,) = found(with_tokenizer).candidates
    config = json.loads((classifier[0] / "config.json").read_text())
    config = {key: value for key, value in config.items() if key not in ("id2label", "label2id")} | {"num_labels": 2}
    folder = prepare(candidate, Choices(config=config), into)
    said, told = (json.loads((folder / name).read_text()) for name in ("config.json", "prepared.json"))
    assert (said.get("id2label") == {"0": "bad", "1": "good"}) is kept
    assert said.get("num_labels", 2) == 2
    assert ("Its labels are called what the file says beside its tensors." in told["notes"]) is kept


@pytest.mark.parametrize("bias", [False, True])
def test_zeros_that_were_added_are_told_apart_from_the_tensors_of_the_file(
    with_tokenizer: Path, into: Intake, bias: bool
) -> None:
    save_as_nanogpt_does(nanogpt(bias=bias), with_tokenizer / "ckpt.pt", bias=bias)
    (candidate,) = found(with_tokenizer).candidates
    folder = prepare(candidate, Choices(config=answered(guesses(candidate.tensors)[0], {})), into)
    notes = json.loads((folder / "prepared.json").read_text())["notes"]
    said = f"The zeros are counted among what was loaded: the files themselves hold {len(candidate.tensors)} tensors."
    assert (said in notes) is not bias
