"""The encoders that the tests of text compare."""

from __future__ import annotations

import pytest
import tokenizers
from transformers import PreTrainedTokenizerBase

from core.models.model import Model
from core.text import TextEncoder, encoder_of
from tests.text.setups import WRITERS, open_setup


@pytest.fixture(scope="session")
def wordpiece(minilm: Model) -> TextEncoder:
    return minilm.encoder


@pytest.fixture(scope="session")
def bytewise(byte_level: tokenizers.Tokenizer) -> TextEncoder:
    return TextEncoder.fix(byte_level, unknown_id=None, max_length=4096)


@pytest.fixture(scope="session", params=["wordpiece", "bytewise"])
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreTrainedTokenizerBase]:
    """A tokenizer of each setup, as transformers opens it."""
    return {name: open_setup(name, tmp_path_factory.mktemp("tokenizer")) for name in WRITERS}


@pytest.fixture(scope="session")
def encoders(opened: dict[str, PreTrainedTokenizerBase]) -> dict[str, TextEncoder]:
    return {name: encoder_of(tokenizer, 4096) for name, tokenizer in opened.items()}
