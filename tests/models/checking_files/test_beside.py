"""What a training program noted beside the tensors is read as plain values, bounded, and nothing else is."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import torch

from core.models.checking_files import values_beside
from core.models.checking_files.beside import MOST_VALUES
from tests.models.checking_files.good_files import TENSORS, torch_file
from tests.sentences import refused


def test_plain_values_keep_the_names_that_lead_to_them_and_tensors_and_lists_are_left_out(tmp_path: Path) -> None:
    noted = {
        "state_dict": OrderedDict(TENSORS),
        "hyper_parameters": {"num_attention_heads": 4, "net": {"activation": "relu"}, "betas": (0.9, 0.99)},
        "optimizer_states": [{"lr": 0.1}],
        "best": torch.tensor(0.5),
        "epoch": 3,
        "done": False,
        "text": "x" * 10_000,
    }
    assert values_beside(torch_file(tmp_path / "a.ckpt", noted)) == {
        "hyper_parameters": {"num_attention_heads": 4, "net": {"activation": "relu"}},
        "epoch": 3,
        "done": False,
    }
    assert values_beside(torch_file(tmp_path / "b.pt")) == {}


def test_a_dict_within_itself_and_endless_lists_of_values_come_to_an_end(tmp_path: Path) -> None:
    looped: dict[str, object] = {"model": TENSORS, "n_head": 6}
    looped["again"] = looped
    assert values_beside(torch_file(tmp_path / "a.pt", looped)) == {"n_head": 6}
    many = {"model": TENSORS, "args": {str(number): number for number in range(5 * MOST_VALUES)}}
    assert len(values_beside(torch_file(tmp_path / "b.pt", many))["args"]) == MOST_VALUES


def test_a_program_and_another_format_are_refused(tmp_path: Path) -> None:
    with refused("could run as a program"):
        values_beside(torch_file(tmp_path / "a.pt", {"a": Path("b")}))
    with refused("zip format"):
        values_beside(torch_file(tmp_path / "b.pt", zipped=False))
