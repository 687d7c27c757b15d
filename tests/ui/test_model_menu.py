"""The menu of models: in which order it lists them, and what it and the report tell of a shipped one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.models import shipped
from core.models.shipped import STUDY
from core.ui.examples import MODEL, examples_for
from core.ui.model_report import training_lines
from tests.zoo.checkpoints import saved

SUMMARY = "English to French: a tiny Transformer"
LIMITS = ["It knows eleven characters.", "It was never trained."]


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Shipped models, one of which opens, and a server's folder."""
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path / "weights")
    for name, group, rank in (
        ("lm-none", "language-model", STUDY),
        ("en-fr-gru", "translation", 1),
        ("sentiment-x", "sentiment", 0),
        ("en-fr-x", "translation", 0),
    ):
        folder = tmp_path / "weights" / name
        folder.mkdir(parents=True)
        for file in shipped.WHOLE:
            (folder / file).touch()
        head = {"group": group, "summary": SUMMARY, "licence": "MIT", "rank": rank}
        scores = {"steps": 10000, "BLEU, lower-cased": 41.98765, "best": "no"}
        told = {"data": "None.", "scores": scores, "limits": LIMITS, "shipped": head}
        (folder / "training.json").write_text(json.dumps(told), encoding="utf-8")
    sizes = {"num_hidden_layers": 2, "num_decoder_layers": 2}
    saved(tmp_path / "weights" / "en-fr-x", "TransformerForConditionalGeneration", **sizes)
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "config.json").touch()
    return tmp_path / "weights"


def test_the_menu_lists_main_models_first_and_study_material_last(page, weights: Path):
    page.open(model="en-fr-x")
    names = page.app.selectbox(key="model").options
    assert names[:4] == [MODEL, "en-fr-x", "sentiment-x", "en-fr-gru"]
    assert names.index("server") > 3
    assert names[-1] == "lm-none"
    assert len(names) == len(set(names))
    assert SUMMARY in page.html
    assert page.app.text_area(key="text").value == examples_for("en-fr-x")[0].text
    assert "Scores: steps 10,000; BLEU, lower-cased 41.99" in page.html
    assert f"Limits: {' '.join(LIMITS)}" in page.html
    assert "Its card: core/zoo/weights/en-fr-x/README.md" in page.html


def test_a_damaged_one_is_told_of_and_not_listed(page, weights: Path):
    (weights / "en-fr-x" / "training.json").write_text("{", encoding="utf-8")
    page.open()
    assert "en-fr-x" not in page.app.selectbox(key="model").options
    assert "en-fr-x: its training.json is missing or damaged" in page.html


def test_what_a_card_lacks_is_left_out():
    assert training_lines({}) == []
    assert training_lines({"shipped": {"licence": "MIT"}, "scores": {"best": None}, "limits": []}) == ["Licence: MIT"]
