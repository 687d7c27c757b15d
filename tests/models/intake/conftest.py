"""Uploads go below a folder of the test's own, and hostile archives must leave nothing there or beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.models.intake import Intake, Limits, unpack
from tests.sentences import refused


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of all uploads, which the first of them makes."""
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    monkeypatch.delenv("HEADLIGHT_UPLOAD_MB", raising=False)
    return tmp_path / "uploads"


@pytest.fixture
def intake(root: Path) -> Iterator[Intake]:
    """With bounds that a test can reach: a million bytes, 20 files and folders, 4 deep."""
    with Intake(Limits(nbytes=1_000_000, entries=20, depth=4)) as opened:
        yield opened


@pytest.fixture
def refuse(intake: Intake, tmp_path: Path) -> Callable[..., None]:
    """Checks that an archive is refused with these words and leaves nothing, in the upload or beside it."""
    file = tmp_path / "hostile.bin"

    def check(data: bytes, *words: str) -> None:
        file.write_bytes(data)
        before = sorted(tmp_path.rglob("*"))
        with refused(*words):
            unpack(file, intake)
        assert sorted(tmp_path.rglob("*")) == before
        assert (intake.nbytes, intake.files) == (0, ())

    return check
