"""A run in the browser: its progress is shown, it can be stopped and started again."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.benchmarks.site import save_model, text_of
from tests.e2e.browser import App, opened_app, running_server


def test_a_fresh_server_shows_progress_and_a_long_run_can_be_stopped(browser, tmp_path: Path):
    save_model(tmp_path / "long")
    variables = {"HEADLIGHT_MODELS": str(tmp_path)}
    with running_server(tmp_path / "log.txt", **variables) as address, opened_app(browser, address) as app:
        app.page.goto(address)
        expect(app.page.get_by_role("progressbar")).to_be_visible()
        app.drawn()
        app.open(model="long")
        app.page.get_by_role("textbox", name="Text", exact=True).fill(text_of(12_000))
        app.page.keyboard.press("Control+Enter")
        app.page.get_by_role("button", name="Stop").click()
        note = app.page.get_by_text("The run was stopped; press Analyse to start it again.")
        expect(note).to_be_visible()
        app.page.get_by_role("textbox", name="Text", exact=True).fill("A short text.")
        app.page.keyboard.press("Control+Enter")
        app.drawn()
        expect(note).to_have_count(0)
        assert app.problems == []
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


def test_a_text_and_a_number_typed_at_once_are_both_taken(app: App):
    text = app.page.get_by_role("textbox", name="Text", exact=True)
    for _ in range(3):
        app.open(example="pronoun")
        text.fill("Two things at once.")
        app.page.get_by_role("spinbutton", name="Layer (0–5)").fill("5")
        app.page.keyboard.press("Control+Enter")
        app.page.wait_for_url("**layer=5**")
        app.idle()
        assert text.input_value() == "Two things at once."
        assert "example" not in app.page.url
