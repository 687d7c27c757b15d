"""One server and one browser for all browser tests; a fresh browser session for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import App, opened_app, running_server

# On a core that others use as well; what is true at once does not wait.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_server(log) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture
def app(browser, server: str) -> Iterator[App]:
    """A tab on the app; the test fails if it asked another host for anything or met an error."""
    with opened_app(browser, server) as app:
        yield app
    assert app.problems == []
