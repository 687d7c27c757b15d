"""What several test folders share: the default model, opened once and only read."""

from __future__ import annotations

import pytest

from core import load
from core.models.model import Model


@pytest.fixture(scope="session")
def minilm() -> Model:
    return load("all-MiniLM-L6-v2")
