"""The Training page in a browser: train, stop, scrub, compare, open on the Attention page, download, and links."""

from __future__ import annotations

import math
import re
import urllib.parse
import zipfile
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from core import load
from core.ui.training.results import COLUMNS
from tests.e2e.browser import App, opened_app, running_server
from tests.e2e.test_accessibility import violations

LONG = 120_000
# For two whole runs; on two cores that nobody else needs they take less than one minute.
LONGEST = 300_000


@pytest.fixture
def training(browser, server: str) -> Iterator[App]:
    """A tab for the Training page."""
    with opened_app(browser, server) as app:
        yield app
    assert app.problems == []


def arrive(app: App, **parameters: object) -> App:
    """Go to the page by an address."""
    app.page.goto(f"{app.address}/training?{urllib.parse.urlencode(parameters)}")
    return empty(app)


def empty(app: App) -> App:
    """Wait for the page as it is before the first run."""
    app.page.locator(".headlight-gold").wait_for(timeout=LONG)
    # Streamlit asks for its own files below the address first, and then finds them at the root.
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def train(app: App) -> App:
    """Press Train and wait for the first picture of the film."""
    app.page.get_by_role("button", name="Train").click()
    app.figure("film").wait_for(timeout=LONG)
    return app


def ended(app: App, state: str = "done", patience: int = LONG) -> App:
    """Wait until every run has ended, and well."""
    expect(app.page.get_by_role("button", name="Stop")).to_have_count(0, timeout=patience)
    expect(app.page.locator(f".headlight-runs .{state}").first).to_be_visible()
    expect(app.page.get_by_role("button", name="Train").last).to_be_enabled()
    return app.idle()


def step(app: App) -> int:
    """The step of the film's frame."""
    return int(app.figure("film").locator(".step-number").inner_text().replace(",", ""))


def numbers(row: Locator) -> dict[str, float]:
    """The numbers of a line of the results by their column; NaN where there is none."""
    cells = row.locator("td").all_inner_texts()
    return {
        name: math.nan if cell == "–" else float(cell.replace(",", ""))
        for name, cell in zip(COLUMNS[1:], cells, strict=True)
    }


def test_training_is_watched_scrubbed_stopped_opened_and_downloaded(training: App, tmp_path):
    training.open().page.get_by_role("link", name="Training").click()
    page = train(empty(training)).page
    expect(page.locator(".headlight-runs .step")).to_contain_text(re.compile(r"step [1-9]\d* of"), timeout=LONG)
    slider = training.figure("film").get_by_role("slider")
    expect(training.figure("film").locator(".step-number")).to_have_text(re.compile("^[1-9]"), timeout=LONG)
    slider.press("Home")
    page.wait_for_timeout(2500)
    assert step(training) == 0
    page.get_by_role("button", name="Stop").click()
    ended(training, "stopped")
    assert training.page.locator(".js-plotly-plot").count() >= 2
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download checkpoint").click()
    zipfile.ZipFile(saved.value.path()).extractall(tmp_path)
    assert load(str(tmp_path / "reverse-additive-1")).card.streams == ("cross",)
    page.get_by_role("button", name="Open on the Attention page").click()
    expect(page.get_by_role("heading", name="Layer 0 · Head 0")).to_be_visible(timeout=LONG)
    assert training.drawn("Together").queries()[0].startswith("<s> → ")
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("backgammon")
    page.get_by_role("link", name="Training").click()
    expect(training.card("film")).to_be_visible()
    training.idle()


def test_a_fresh_server_opens_the_page_by_its_address(browser, tmp_path):
    with running_server(tmp_path / "log.txt") as address, opened_app(browser, address) as app:
        arrive(app, task="copy")
        expect(app.page.get_by_role("link", name="Attention")).to_be_visible()
        expect(app.page.get_by_role("heading", name="Copy · GRU, additive attention")).to_be_visible()
        assert app.problems == []


def test_two_runs_are_compared_in_one_film(training: App):
    arrive(training, compare="norm", steps=3, layers=1, width=16, snapshot_every=1)
    train(training)
    ended(training)
    assert training.figure("film").locator(".panel").count() == 2
    assert training.page.locator(".headlight-results").first.locator("tbody tr").count() == 2
    film = training.figure("film")
    film.get_by_role("slider").press("Home")
    training.page.get_by_role("radio", name="3", exact=True).click()
    expect(training.card("film").locator(".caption")).to_contain_text("head 3")
    training.idle()
    assert step(training) == 0
    assert violations(training) == []


def test_a_stopped_comparison_is_told_at_one_step(training: App):
    arrive(training, compare="attention", steps=2000, batch_size=8, evaluate_every=500)
    train(training)
    expect(training.page.locator(".headlight-runs .step").last).to_contain_text(re.compile(r"step \d\d+ of"))
    training.page.get_by_role("button", name="Stop").click()
    ended(training, "stopped")
    lines = training.page.locator(".headlight-runs .step").all_inner_texts()
    assert len({re.match(r"step (\d+) of 2,000 · token accuracy", line)[1] for line in lines}) == 1
    steps = training.page.locator(".headlight-results").first.locator("tbody td:nth-child(2)").all_inner_texts()
    assert [f"step {number} of" in line for number, line in zip(steps, lines, strict=True)] == [True, True]


def test_reverse_is_learnt_with_attention_and_clearly_less_without(training: App):
    arrive(training, compare="attention")
    train(training)
    ended(training, patience=LONGEST)
    with_attention, without = (
        numbers(row) for row in training.page.locator(".headlight-results").first.locator("tbody tr").all()
    )
    assert with_attention["gold alignment"] >= 0.9
    assert with_attention["token accuracy"] >= 0.95
    assert without["token accuracy"] < with_attention["token accuracy"] - 0.2
    assert math.isnan(without["gold alignment"])


def test_a_comparison_shows_what_it_sets_and_leaves_the_rest(training: App):
    arrive(training, compare="warmup", steps=3, learning_rate=0.5)
    training.page.get_by_text("Practice", exact=True).click()
    rate = training.page.get_by_role("textbox", name="Learning rate")
    expect(rate).to_be_disabled()
    expect(rate).to_have_value("0.01")
    expect(training.page.get_by_role("spinbutton", name="Steps", exact=True)).to_have_value("3")
    assert violations(training) == []


def test_a_link_brings_every_setting_back(training: App):
    asked = dict(task="sort", architecture="transformer", width="32", heads="2", norm="post", steps="11", seed="3")
    arrive(training, **asked)
    expect(training.page.get_by_role("heading", name="Sort · Transformer")).to_be_visible()
    training.page.reload()
    empty(training).page.get_by_text("Network", exact=True).click()
    expect(training.page.get_by_role("spinbutton", name="Width")).to_have_value("32")
    for name, value in asked.items():
        assert f"{name}={value}" in training.page.url


def test_an_analysis_in_another_tab_is_served_while_something_is_trained(training: App, browser):
    arrive(training, compare="norm", steps=2000)
    train(training)
    with opened_app(browser, training.address) as other:
        other.open()
        other.analyse("Bees fly home.").drawn()
        assert "Bees" in other.queries()
        assert other.problems == []
    training.page.get_by_role("button", name="Stop").click()
    ended(training, "stopped")


def test_a_run_that_diverges_says_so_in_one_sentence(training: App):
    arrive(training, learning_rate=10, weight_decay=10, schedule="constant", warmup=0, steps=200)
    train(training)
    ended(training, "failed")
    assert training.page.locator(".headlight-note.error").all_inner_texts()[0].startswith("Training stopped at step")


def test_talk_mode_has_a_key_for_each_task_and_one_to_train(training: App):
    arrive(training, talk=1, steps=3, snapshot_every=1)
    training.page.keyboard.press("1")
    expect(training.page.get_by_role("heading", name="Copy", exact=False).first).to_be_visible()
    training.idle().page.keyboard.press("s")
    training.figure("film").wait_for(timeout=LONG)
    ended(training)
