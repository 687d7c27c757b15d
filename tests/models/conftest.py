"""A tiny GPT-2 with a byte-level tokenizer, saved as a folder for `core.load`."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from transformers import AutoModelForCausalLM

from tests.tiny import save_model


@pytest.fixture(scope="session")
def gpt2_folder(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> Path:
    """Read only: a test that spoils files copies it first."""
    folder = tmp_path_factory.mktemp("gpt2")
    save_model(folder, "gpt2", AutoModelForCausalLM, byte_level)
    return folder
