"""Shipped models: folders of the checkout, listed at a glance whatever their state."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core import load
from core.models import catalogue, shipped
from core.models.catalogue import find
from core.models.pool import openable
from core.models.shipped import GROUPS, STUDY, shipped_called
from core.models.shipped_facts import sound
from tests.sentences import is_one_sentence, refused
from tests.zoo.checkpoints import saved

ROOT = Path(__file__).parents[2]
OF_A_MODEL = ("config.json", "model.safetensors", "tokenizer.json")


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of shipped models."""
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path)
    return tmp_path


def place(weights: Path, name: str, files: tuple[str, ...] = OF_A_MODEL, **head: Any) -> Path:
    """A folder that looks like a shipped model."""
    folder = weights / name
    folder.mkdir(exist_ok=True)
    for file in files:
        (folder / file).touch()
    said = {"name": name, "group": "translation", "summary": "Translates", "licence": "MIT", "rank": 0, **head}
    told = {"title": name, "scores": {"bleu": 42.0}, "shipped": said}
    (folder / "training.json").write_text(json.dumps(told), encoding="utf-8")
    return folder


def names() -> list[str]:
    return [one.name for one in shipped.shipped()]


def test_without_any_the_catalogue_is_what_it_was(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names() == []
    assert all(listing.entry.rank is None for listing in catalogue())
    monkeypatch.setattr(shipped, "WEIGHTS", weights / "not there")
    assert names() == []


def test_a_folder_tells_what_it_is(weights: Path) -> None:
    folder = place(weights, "en-fr-x")
    one = shipped_called("en-fr-x")
    assert one is not None
    assert (one.folder, one.group, one.summary, one.licence) == (folder, "translation", "Translates", "MIT")
    assert (one.rank, one.base, one.unavailable) == (0, None, None)
    assert one.told["scores"] == {"bleu": 42.0}
    entry = find("en-fr-x")
    assert entry is not None
    assert (entry.summary, entry.licence, entry.rank, entry.locate()) == ("Translates", "MIT", 0, folder)
    assert entry.nbytes == (folder / "training.json").stat().st_size
    assert openable("en-fr-x") == "en-fr-x"


def test_they_stand_after_the_default_by_group_and_rank(weights: Path) -> None:
    place(weights, "z", rank=0)
    place(weights, "a", rank=1)
    place(weights, "lm", group="language-model")
    place(weights, "twin", group="language-model", rank=STUDY)
    place(weights, "review", group="sentiment")
    expected = ["z", "a", "review", "lm", "twin"]
    assert names() == expected
    assert [listing.entry.name for listing in catalogue()][1:6] == expected


def test_a_folder_that_changes_is_read_again(weights: Path) -> None:
    place(weights, "x")
    assert shipped.shipped()[0].summary == "Translates"
    place(weights, "x", summary="Translates better")
    assert shipped.shipped()[0].summary == "Translates better"


@pytest.mark.parametrize("told", ["", "{", "[]", '{"shipped": 3}', '{"shipped": {"group": "translation"}}', "\x80"])
def test_a_damaged_card_is_told_of_and_spoils_nothing_else(weights: Path, told: str) -> None:
    place(weights, "good")
    (place(weights, "bad") / "training.json").write_text(told, encoding="latin-1")
    assert names() == ["good", "bad"]
    reasons = {listing.entry.name: listing.unavailable for listing in catalogue()}
    assert reasons["good"] is None
    assert is_one_sentence(reasons["bad"])
    assert "training.json is missing or damaged" in reasons["bad"]
    with refused("bad", "damaged"):
        load("bad")


@pytest.mark.parametrize(("name", "value"), [("group", "poems"), ("rank", "0"), ("rank", True), ("base", 3)])
def test_a_card_that_says_something_else_is_damaged(weights: Path, name: str, value: Any) -> None:
    place(weights, "x", **{name: value})
    assert shipped.shipped()[0].told == {}


BIN = {"words": [1, 4], "sentences": 3, "bleu": None, "chrf": 50.5}
PAIRS = {"pairs": 2, "attention": {"error": 0.5}, "best": {"layer": 0, "head": None, "error": 0.25}, "ibm1": None}


def test_only_facts_of_the_right_form_are_kept() -> None:
    whole = {"scores": {}, "quality": [BIN], "alignment": {**PAIRS, "others": {"more": PAIRS}}}
    assert sound(whole) == whole
    assert sound({"quality": None, "alignment": None}) == {"quality": None, "alignment": None}
    for quality in ("abc", [1], [{**BIN, "words": [1]}], [{**BIN, "chrf": "<b>"}], [{**BIN, "bleu": 1e308}]):
        assert sound({"quality": quality})["quality"] == []
    wrong = ({"pairs": "x"}, {"attention": None}, {"attention": {"error": "x"}}, {"best": [1]}, {"ibm1": 3})
    for alignment in ("abc", *({**PAIRS, **each} for each in wrong)):
        assert sound({"alignment": alignment})["alignment"] is None
        others = {**PAIRS, "others": {"more": alignment}}
        assert sound({"alignment": others})["alignment"] == PAIRS
        assert sound({"alignment": {**PAIRS, "others": alignment}})["alignment"] == PAIRS


def test_a_pipe_is_not_waited_for_and_a_name_that_is_no_unicode_is_passed_over(weights: Path) -> None:
    place(weights, "piped")
    (weights / "piped" / "training.json").unlink()
    os.mkfifo(weights / "piped" / "training.json")
    place(weights, os.fsdecode(b"en-fr-\xff"))
    assert names() == ["piped"]
    assert shipped.shipped()[0].told == {}


@pytest.mark.parametrize("lost", OF_A_MODEL)
def test_a_lost_file_is_named(weights: Path, lost: str) -> None:
    (place(weights, "x") / lost).unlink()
    with refused(f"the file {lost} is missing"):
        load("x")


def test_an_adapter_needs_files_of_its_own_and_its_base(weights: Path) -> None:
    of_adapter = ("config.json", "adapter_config.json", "adapter_model.safetensors")
    place(weights, "fits", of_adapter, base="all-MiniLM-L6-v2")
    place(weights, "lacks", base="all-MiniLM-L6-v2")
    place(weights, "stray", of_adapter, base="no-such-model")
    place(weights, "chained", of_adapter, base="fits")
    reasons = {listing.entry.name: listing.unavailable or "" for listing in catalogue()}
    assert reasons["fits"] == ""
    assert "adapter_config.json is missing" in reasons["lacks"]
    assert all("no whole model of the catalogue" in reasons[name] for name in ("stray", "chained"))


def test_what_is_no_model_is_passed_over(weights: Path) -> None:
    (weights / "empty").mkdir()
    (weights / ".being-written").mkdir()
    (weights / ".being-written" / "config.json").touch()
    (weights / "README.md").touch()
    (weights / "broken").symlink_to(weights / "nowhere")
    assert names() == []


def test_one_opens_by_its_name_from_its_16_bits(weights: Path) -> None:
    network = saved(weights / "reverse-x", "RecurrentForConditionalGeneration")
    network.half().save_pretrained(weights / "reverse-x")
    place(weights, "reverse-x")
    model = load("reverse-x")
    assert model.name == model.run("abc").provenance.model == "reverse-x"
    assert model.report.cast == (("float16", "float32", model.report.loaded),)


def test_listing_35_of_them_takes_a_glance(weights: Path) -> None:
    history = {"steps": [[step, 1 / (step + 1)] for step in range(400)]}
    for number in range(35):
        file = place(weights, f"model-{number}", group=GROUPS[number % 3], rank=number % 3) / "training.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "history": history}), encoding="utf-8")
    assert len(catalogue()) > 35
    took = []
    for _ in range(5):
        start = time.process_time()
        catalogue()
        took.append(time.process_time() - start)
    assert min(took) < 0.02


def test_what_is_shipped_is_whole_and_listed_without_torch() -> None:
    code = (
        "import sys; from core.models.shipped import shipped; "
        "assert not [one.unavailable for one in shipped() if one.unavailable]; "
        "print('torch' in sys.modules, *(one.name for one in shipped()))"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", *names()]
