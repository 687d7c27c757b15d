"""A text of 4,096 tokens: an overview first, exact windows on demand, and memory that stays bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core import load
from tests.benchmarks.site import save_model, text_of
from tests.e2e.browser import App, opened_app, running_server

TOKENS = 4_096


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    save_model(folder / "long")
    return folder


@pytest.fixture(scope="module")
def long_app(browser, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_server(log, HEADLIGHT_MODELS=str(folder)) as address, opened_app(browser, address) as app:
        app.page.set_default_timeout(180_000)
        app.open(model="long", layer=1, head=2)
        app.analyse(text_of(TOKENS))
        app.figure("heatmap").wait_for()
        yield app
        assert app.problems == []
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def trace(folder: Path):
    return load(str(folder / "long")).run(text_of(TOKENS))


def hovered(app: App, trace, rows: int) -> None:
    """The exact weight of the middle cell of the window."""
    title, value, place = app.hover_cell(rows // 2, rows // 2, rows, rows)[:3]
    query, key = (int(number) for number in re.findall(r"\d+", place))
    weight = trace.attention(1, [2], rows=slice(query, query + 1))[0, 0, key]
    assert float(value) == pytest.approx(float(weight), rel=2e-3, abs=1e-6)
    assert title == f"{trace.tokens.labels[query]} → {trace.tokens.labels[key]}"


def test_the_overview_comes_with_an_exact_window(long_app: App, trace):
    for name in ("overview", "whole", "heatmap", "headview"):
        expect(long_app.figure(name)).to_be_visible()
    assert f"{TOKENS:,} tokens" in long_app.caption("whole")
    hovered(long_app, trace, 512)


def test_a_click_on_the_overview_moves_the_window(long_app: App, trace):
    before = long_app.caption("heatmap")
    whole = long_app.figure("whole").locator("canvas.cursor")
    box = whole.bounding_box()
    assert box is not None
    whole.click(position={"x": box["width"] * 0.7, "y": box["height"] * 0.7})
    expect(long_app.card("heatmap").locator(".caption")).not_to_have_text(before)
    long_app.page.wait_for_url(re.compile(r"row=[1-9]"))
    hovered(long_app.idle(), trace, 512)


def test_the_text_view_shows_all_of_it(long_app: App):
    long_app.view("Text")
    assert long_app.figure("text").locator("[data-part], .part").count() >= TOKENS - 2
