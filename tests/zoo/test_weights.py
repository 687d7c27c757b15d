"""The shipped models: each opens as it was written, tells where it comes from, and says what it said before."""

import json
import shlex
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open

from core import load
from core.models.model import Model
from core.training.evaluation.translation import AS_IT_IS, LOWER_CASED
from core.training.options import Options
from core.training.recipes import RECIPES
from core.training.shipping.names import SHIPMENTS
from core.training.values import with_values

WEIGHTS = Path(__file__).parents[2] / "core" / "zoo" / "weights"
FOLDERS = sorted(folder for folder in WEIGHTS.iterdir() if (folder / "training.json").is_file())
MEGABYTE = 10**6
HEADINGS = ("Data", "Scores", "Recipe", "Training it again", "Limits")

pytestmark = pytest.mark.skipif(not FOLDERS, reason="no model is shipped yet")
every_model = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def told(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "training.json").read_text(encoding="utf-8"))


def in_group(group: str) -> list[Path]:
    return [folder for folder in FOLDERS if SHIPMENTS[folder.name].group == group]


def nbytes(folders: list[Path]) -> int:
    return sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())


@pytest.fixture(scope="module")
def opened() -> Callable[[Path], Model]:
    """Opens a model once for all tests of this file."""
    return lru_cache(maxsize=None)(lambda folder: load(str(folder), device="cpu"))


def test_all_of_them_are_small() -> None:
    assert nbytes(FOLDERS) <= 45 * MEGABYTE
    assert nbytes(in_group("sentiment")) <= 15 * MEGABYTE


@every_model
def test_its_files_are_whole_and_in_16_bits(folder: Path) -> None:
    assert folder.name in SHIPMENTS
    (weights,) = folder.glob("*.safetensors")
    with safe_open(weights, "pt") as file:
        assert {file.get_slice(name).get_dtype() for name in file.keys()} == {"F16"}  # noqa: SIM118
    assert not [file for file in folder.iterdir() if file.suffix in {".bin", ".pt", ".pkl", ".part"}]


@every_model
def test_its_card_is_complete(folder: Path) -> None:
    facts, card = told(folder), (folder / "README.md").read_text(encoding="utf-8")
    shipped, expected = facts["shipped"], SHIPMENTS[folder.name]
    assert all(f"## {heading}\n" in card for heading in HEADINGS)
    assert expected.source.licence in card
    assert shipped["command"] in card
    assert "seed=" in shipped["command"]
    assert (shipped["name"], shipped["group"], shipped["rank"]) == (folder.name, expected.group, expected.rank)
    assert shipped.get("base", "") == expected.base
    assert shipped["licence"]
    assert facts["limits"]
    assert [value for value in facts["scores"].values() if isinstance(value, float)]


@every_model
def test_its_command_asks_for_the_values_that_it_was_trained_with(folder: Path) -> None:
    facts = told(folder)
    name, *words = shlex.split(facts["shipped"]["command"])[3:]
    parts = with_values(RECIPES[name].parts, words[words.index("--set") + 1 :])
    (options,) = (part for part in parts if isinstance(part, Options))
    assert asdict(options) == asdict(Options(**facts["recipe"]["options"]))


@every_model
def test_it_opens_with_every_weight_from_its_files(folder: Path, opened: Callable[[Path], Model]) -> None:
    model = opened(folder)
    assert not model.report.missing
    assert model.dtype == torch.float32


@pytest.mark.parametrize("folder", in_group("translation"), ids=lambda folder: folder.name)
def test_it_translates_as_its_card_says(folder: Path, opened: Callable[[Path], Model]) -> None:
    examples = told(folder)["examples"]
    assert len(examples) >= 6
    for text, answer in list(examples.items())[-2:]:
        assert opened(folder).run(text).output.written == answer


@pytest.mark.parametrize("folder", in_group("translation"), ids=lambda folder: folder.name)
def test_its_quality_and_alignment_are_told(folder: Path) -> None:
    facts = told(folder)
    assert [part["words"][0] for part in facts["quality"]] == [1, 5, 9, 13, 17]
    assert all(part["sentences"] > 0 and 0 <= part["bleu"] <= 100 for part in facts["quality"])
    assert (facts["alignment"] is None) == (folder.name == "en-fr-gru")


@pytest.mark.parametrize("folder", in_group("translation"), ids=lambda folder: folder.name)
def test_its_scores_name_their_case_and_its_layers_are_counted_from_0(folder: Path) -> None:
    facts, card = told(folder), (folder / "README.md").read_text(encoding="utf-8")
    for case, signed in ((LOWER_CASED, "case:lc"), (AS_IT_IS, "case:mixed")):
        assert 0 < facts["scores"][f"test BLEU, first reference, {case}"] < 100
        assert signed in facts["scores"][f"BLEU signature, first reference, {case}"]
    assert all(name.endswith((LOWER_CASED, AS_IT_IS)) for name in facts["scores"] if "BLEU" in name or "chrF" in name)
    aligned = facts["alignment"] or {"others": {}}
    for each in (aligned, *aligned["others"].values()):
        assert not each.get("best") or f"(layer {each['best']['layer']}, row" in card


@pytest.mark.parametrize("folder", in_group("sentiment"), ids=lambda folder: folder.name)
def test_it_tells_praise_from_blame(folder: Path, opened: Callable[[Path], Model]) -> None:
    model = opened(folder)
    praise, blame = (
        dict(model.run(text).output.likeliest)["positive"]
        for text in ("a moving , funny and brilliant film .", "a dull , lifeless and stupid mess .")
    )
    assert praise > 0.5 > blame


@pytest.mark.parametrize("folder", in_group("language-model"), ids=lambda folder: folder.name)
def test_it_goes_on_with_a_text(folder: Path, opened: Callable[[Path], Model]) -> None:
    trace = opened(folder).run("I want to go", generate=3)
    assert trace.streams == ("self",)
    assert len(trace.tokens) >= 7
