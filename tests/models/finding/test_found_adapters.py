"""Adapters, and what they may be added to."""

from __future__ import annotations

from pathlib import Path

import torch

from tests.models.finding.uploads import file, lacks, looked, model, only, pickled, told, weights

LORA = {"base_model.model.encoder.layer.0.attention.self.query.lora_A.weight": torch.zeros(2, 32)}
WEIGHTS = Path(__file__).parents[3] / "core" / "zoo" / "weights"


def adapter(folder: Path, base: str | None = "someone/tiny-bert") -> Path:
    weights(folder / "adapter_model.safetensors", LORA)
    told(folder / "adapter_config.json", {"peft_type": "LORA", "r": 2, "base_model_name_or_path": base})
    return folder


def test_an_adapter_lacks_its_base(tmp_path: Path) -> None:
    candidate = only(adapter(tmp_path / "mine"))
    assert (candidate.name, candidate.kind, candidate.base, candidate.bases) == (
        "mine", "adapter", "someone/tiny-bert", (),
    )  # fmt: skip
    assert lacks(candidate) == ("base",)
    assert "“someone/tiny-bert”" in candidate.missing[0].sentence
    assert set(candidate.tensors) == set(LORA)


def test_whole_models_of_the_upload_are_offered_the_likeliest_first(tmp_path: Path) -> None:
    adapter(tmp_path / "a")
    for name in ("other", "tiny-bert"):
        model(tmp_path / name)
    weights(tmp_path / "bare" / "model.safetensors")
    candidate = next(each for each in looked(tmp_path).candidates if each.kind == "adapter")
    assert candidate.bases == (tmp_path / "tiny-bert", tmp_path / "other")
    assert lacks(candidate) == ("base",)


def test_base_and_adapter_in_one_folder_are_two(tmp_path: Path) -> None:
    whole, added = looked(model(adapter(tmp_path))).candidates
    assert (whole.kind, added.kind, added.bases) == ("model", "adapter", (tmp_path,))
    assert (whole.config, added.config) == (tmp_path / "config.json", None)
    assert added.name == f"{whole.name}-adapter"


def test_a_base_within_the_adapters_folder_is_beyond_doubt(tmp_path: Path) -> None:
    model(adapter(tmp_path) / "base")
    model(tmp_path / "other")
    candidate = next(each for each in looked(tmp_path).candidates if each.kind == "adapter")
    assert candidate.bases == (tmp_path / "base",)
    assert lacks(candidate) == ()


def test_a_base_of_the_catalogue_is_beyond_doubt(tmp_path: Path) -> None:
    shipped = only(WEIGHTS / "sentiment-minilm-lora")
    assert (shipped.base, shipped.missing) == ("all-MiniLM-L6-v2", ())
    assert only(adapter(tmp_path, "all-MiniLM-L6-v2")).missing == ()
    model(tmp_path / "other")
    candidate = next(each for each in looked(tmp_path).candidates if each.kind == "adapter")
    assert lacks(candidate) == ("base",)


def test_a_pickled_adapter_is_found_unless_safetensors_lie_beside_it(tmp_path: Path) -> None:
    pickled(tmp_path / "adapter_model.bin", LORA)
    told(tmp_path / "adapter_config.json", {"peft_type": "LORA"})
    assert [path.name for path in only(tmp_path).weights] == ["adapter_model.bin"]
    adapter(tmp_path)
    assert [path.name for path in only(tmp_path).weights] == ["adapter_model.safetensors"]


def test_an_adapter_without_its_config_cannot_be_added(tmp_path: Path) -> None:
    weights(tmp_path / "mine.safetensors", LORA)
    seen = looked(tmp_path)
    assert file(seen, "mine.safetensors").kind == "adapter"
    assert "adapter_config.json is missing" in seen.sentence


def test_a_base_that_nobody_could_read_is_spelled_out(tmp_path: Path) -> None:
    candidate = only(adapter(tmp_path / "a", "x\u202ey\n<b>" + "z" * 9_000))
    assert candidate.base is not None
    assert candidate.base.isprintable()
    assert len(candidate.base) <= 60
    assert only(adapter(tmp_path / "b", None)).base is None
