"""What several test folders share: the default model, opened once and only read, and a byte-level tokenizer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest
import tokenizers
import torch
from playwright.sync_api import Browser

from core import load
from core.models.model import Model
from tests.byte_level import byte_level_tokenizer
from tests.e2e.browser import chromium, running_browser

# How long an example takes is the machine's doing.
hypothesis.settings.register_profile("any_machine", deadline=None)
hypothesis.settings.load_profile("any_machine")


@pytest.fixture(scope="session")
def minilm() -> Model:
    return load("all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def byte_level() -> tokenizers.Tokenizer:
    """Without a step after it, and so without special tokens of its own."""
    return byte_level_tokenizer()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests that need one: Playwright runs only once in a process."""
    with running_browser() as browser:
        yield browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = chromium() is None and os.environ.get("HEADLIGHT_BROWSER_TESTS") != "required"
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            if missing:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium on this machine"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
