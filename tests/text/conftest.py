"""The two kinds of encoder that the tests of text compare."""

from __future__ import annotations

import pytest
import tokenizers

from core.models.model import Model
from core.text import TextEncoder


@pytest.fixture(scope="session")
def wordpiece(minilm: Model) -> TextEncoder:
    return minilm.encoder


@pytest.fixture(scope="session")
def bytewise(byte_level: tokenizers.Tokenizer) -> TextEncoder:
    return TextEncoder.fix(byte_level, unknown_id=None, max_length=4096)


@pytest.fixture(scope="session", params=["wordpiece", "bytewise"])
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return request.getfixturevalue(request.param)
