"""Tiny models on the disk as uploads bring them; what is prepared lies below a folder of the test's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from core.models.intake import Intake
from tests.tiny import save_model


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of all uploads."""
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    monkeypatch.delenv("HEADLIGHT_UPLOAD_MB", raising=False)
    monkeypatch.delenv("HEADLIGHT_MODELS", raising=False)
    return tmp_path / "uploads"


@pytest.fixture
def into(root: Path) -> Iterator[Intake]:
    with Intake() as opened:
        yield opened


@pytest.fixture(scope="session")
def classifier(
    tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer
) -> tuple[Path, PreTrainedModel]:
    """A tiny BERT with a classifier, and its folder; read only."""
    folder = tmp_path_factory.mktemp("classifier")
    return folder, save_model(folder, "bert", AutoModelForSequenceClassification, byte_level)


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    """An empty folder for the files of an upload."""
    (tmp_path / "upload").mkdir()
    return tmp_path / "upload"


@pytest.fixture
def with_tokenizer(upload: Path, classifier: tuple[Path, PreTrainedModel]) -> Path:
    """The same folder with the tokenizer of the tiny models in it."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(classifier[0] / name, upload / name)
    return upload
