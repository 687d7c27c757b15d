"""A small GGUF file, written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.checking_files.good_files import gguf_file


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gguf_file(tmp_path_factory.mktemp("gguf") / "small.gguf")
