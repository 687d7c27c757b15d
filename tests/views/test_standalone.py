"""A figure as a page of its own: opened from a file, without any network, it draws and tells the tensor's values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from core.capture import Trace
from core.heads import Survey
from core.views import (
    Figure,
    View,
    head_map_figure,
    head_view_figure,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    standalone,
    text_figure,
)
from core.views.assets import asset
from core.views.page import FONT, POLICY
from tests.e2e.browser import ROOT

VIEW = View("self", 2, 8)
SELECTION = {
    "layer": 2, "head": 8, "query": 3, "key": None, "shown": [8], "top_k": 6, "threshold": 0.02, "direction": "to",
    "order": "position",
}  # fmt: skip


@pytest.fixture(scope="module")
def figures(trace: Trace, surveyed: Survey) -> dict[str, Figure]:
    found = [
        overview_figure(trace, surveyed, VIEW),
        heatmap_figure(trace, VIEW, surveyed),
        head_view_figure(trace, VIEW),
        text_figure(trace, VIEW, 3, None),
        query_key_figure(trace, VIEW, 3),
        head_map_figure(trace, surveyed, VIEW),
    ]
    return {figure.name: figure for figure in found}


@contextmanager
def opened(browser: Browser, figure: Figure, folder: Path, scheme: str = "light") -> Iterator[Page]:
    """The page in a browser without a network; fails on any request but for the file, and on any script error."""
    file = folder / "figure.html"
    file.write_bytes(standalone(figure, SELECTION))
    context = browser.new_context(
        viewport={"width": 1200, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        offline=True,
        accept_downloads=True,
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else problems.append(request.url),
    )
    page.goto(file.as_uri())
    yield page
    context.close()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["overview", "heatmap", "headview", "text", "querykey"])
def test_each_figure_draws_from_a_file(browser, figures, tmp_path: Path, name: str, scheme: str):
    figure = figures[name]
    with opened(browser, figure, tmp_path, scheme) as page:
        page.locator(f".headlight.{figure.component}[data-drawn]").wait_for()
        assert page.locator("h1").inner_text() == figure.title
        assert page.locator(".page-caption").inner_text() == figure.caption
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 18, 24)"}[scheme]


def test_the_page_opens_with_what_was_selected(browser, figures, tmp_path: Path):
    with opened(browser, figures["overview"], tmp_path) as page:
        pressed = page.locator("button[aria-pressed=true]")
        pressed.wait_for()
        assert (pressed.get_attribute("aria-label") or "").startswith("Layer 2 head 8, entropy")


def test_a_hovered_cell_tells_the_tensors_value(browser, figures, trace: Trace, tmp_path: Path):
    count = len(trace.tokens)
    with opened(browser, figures["heatmap"], tmp_path) as page:
        heatmap = page.locator(".headlight.heatmap[data-drawn]")
        heatmap.wait_for()
        place = {side: float(heatmap.get_attribute(f"data-{side}") or 0) for side in ("left", "top", "width", "height")}
        heatmap.locator("canvas.cursor").hover(
            position={
                "x": place["left"] + 2.5 * place["width"] / count,
                "y": place["top"] + 1.5 * place["height"] / count,
            }
        )
        lines = heatmap.locator(".tooltip.shown > div").all_inner_texts()
    assert "the → cat" in lines[0]
    value = next(float(line) for line in lines if re.fullmatch(r"[\d.e-]+", line))
    assert value == pytest.approx(float(trace.attention(2, [8])[0, 1, 2]), rel=1e-3)


@pytest.mark.parametrize("name", ["heatmap", "headmap"])
def test_the_picture_can_be_saved(browser, figures, tmp_path: Path, name: str):
    figure = figures[name]
    with opened(browser, figure, tmp_path) as page:
        for label, start in (("SVG picture", b"<svg"), ("PNG picture", b"\x89PNG")):
            with page.expect_download() as download:
                page.get_by_role("button", name=label).click()
            assert start in Path(download.value.path()).read_bytes()[:200]
            assert download.value.suggested_filename == f"{figure.stem}.{label[:3].lower()}"
        assert page.get_by_role("button", name="Copy link").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_plotly_figure_draws_without_a_network(browser, figures, tmp_path: Path, scheme: str):
    with opened(browser, figures["headmap"], tmp_path, scheme) as page:
        page.locator(".plotly-graph-div .point").first.wait_for()
        assert page.locator(".plotly-graph-div .point").count() == 73
        assert page.locator(".plotly-graph-div .xtitle").evaluate("e => getComputedStyle(e).fontFamily") == FONT
        colour = page.locator(".plotly-graph-div .xtitle").evaluate("e => getComputedStyle(e).fill")
        assert colour == {"light": "rgb(11, 14, 22)", "dark": "rgb(230, 233, 240)"}[scheme]


def test_a_middle_dot_is_not_the_wide_one_of_chinese_fonts(browser, figures, tmp_path: Path):
    with opened(browser, figures["overview"], tmp_path) as page:
        page.locator(".headlight.overview[data-drawn]").wait_for()
        width = """() => {
          const context = document.createElement("canvas").getContext("2d");
          context.font = `100px ${getComputedStyle(document.body).fontFamily}`;
          return context.measureText("·").width;
        }"""
        assert page.evaluate(width) < 50
        assert page.evaluate("getComputedStyle(document.body).fontFamily") == FONT


def test_hostile_words_stay_words(browser, figures, tmp_path: Path):
    hostile = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>&lt;"
    figure = replace(figures["heatmap"], title=hostile, caption=hostile, how_to=hostile, stem=hostile)
    with opened(browser, figure, tmp_path) as page:
        page.locator(".headlight.heatmap[data-drawn]").wait_for()
        assert page.locator("h1").inner_text() == hostile
        assert page.evaluate("window.broken") is None


def test_the_page_forbids_every_connection_and_names_no_host(figures):
    for figure in figures.values():
        page = standalone(figure, SELECTION).decode()
        assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in page
        if figure.component != "plotly":
            assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)


def test_the_colours_are_those_of_the_app():
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    style = asset("standalone.css")
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    names = {
        "primary-color": "primaryColor",
        "background-color": "backgroundColor",
        "secondary-background-color": "secondaryBackgroundColor",
        "text-color": "textColor",
        "border-color": "borderColor",
    }
    for variable, name in names.items():
        assert f"--st-{variable}: {theme['light'][name]};" in light
        assert f"--st-{variable}: {theme['dark'][name]};" in dark
    assert f"--st-code-font: {theme['codeFont'].replace(chr(39), chr(34))};" in light
    assert f"font-size: {theme['baseFontSize']}px" in light
