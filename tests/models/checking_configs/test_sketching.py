from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModel

from core.errors import HeadlightError
from core.models.checking_configs import Sketch, inside_sketch, sketched, sketching
from core.models.checking_configs.sketching import require_proportion
from tests.tiny import tiny_config

BERT = json.loads(tiny_config("bert").to_json_string()) | {"architectures": ["BertModel"]}


def sketch_of(folder: Path, **changes: Any) -> Sketch:
    (folder / "config.json").write_text(json.dumps(BERT | changes))
    return sketched("model", folder, nbytes=1_000)


def test_what_runs_in_the_box_counts_a_network_without_building_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BERT))
    network = AutoModel.from_config(tiny_config("bert"))
    tensors, tables = list(network.parameters()), list(network.buffers())
    counted = inside_sketch.sketched({"name": "model", "folder": str(tmp_path)})
    assert counted == {
        "parameters": sum(tensor.numel() for tensor in tensors),
        "tensors": len(tensors),
        "tables_nbytes": sum(table.nbytes for table in tables),
    }


def test_a_network_that_never_ends_ends_in_the_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketching, "SECONDS", 1.0)
    with pytest.raises(HeadlightError, match=r"building the network of its config\.json took longer than 1 second"):
        sketch_of(tmp_path, num_hidden_layers=10_000)


def test_what_a_config_refuses_never_gets_into_the_box(tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="at most 10,000 is allowed"):
        sketch_of(tmp_path, num_hidden_layers=10**6)


def test_a_network_must_not_be_far_larger_than_its_files() -> None:
    large = Sketch(parameters=100_000_000, tensors=100, tables_nbytes=1_000_000_000)
    require_proportion("model", large, nbytes=25_000_000, is_quantised=False)
    require_proportion("model", large, nbytes=12_500_000, is_quantised=True)
    require_proportion("model", Sketch(10_000_000, 1, 0), nbytes=0, is_quantised=False)
    with pytest.raises(HeadlightError, match="describes a network of 100,000,000 numbers, and its files hold 9 bytes"):
        require_proportion("model", large, nbytes=9, is_quantised=True)
    with pytest.raises(HeadlightError, match="asks for tables of 9 GB beside weights, and 4 GB are allowed"):
        require_proportion("model", Sketch(1, 1, 9_000_000_000), nbytes=9, is_quantised=False)
