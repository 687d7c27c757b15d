"""A run in the browser: its progress is shown, it can be stopped and started again."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.browser import opened_app, running_server


def test_the_first_run_of_a_server_shows_progress_and_can_be_stopped(browser, tmp_path: Path):
    with running_server(tmp_path / "log.txt") as address, opened_app(browser, address) as app:
        app.page.goto(address)
        expect(app.page.get_by_role("progressbar")).to_be_visible()
        app.page.get_by_role("button", name="Stop").click()
        note = app.page.get_by_text("The run was stopped; press Analyse to start it again.")
        expect(note).to_be_visible()
        app.page.get_by_role("button", name="Analyse").click()
        app.drawn()
        expect(note).to_have_count(0)
        assert app.problems == []
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
