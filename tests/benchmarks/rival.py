"""BertViz on the same arrays: how long its pages take to be drawn, how large they are, and where they stop.

It is no dependency of Headlight. `pip install --target FOLDER bertviz IPython boto3` and, because its pages fetch their
scripts from the network, `npm install --prefix FOLDER d3@5 jquery@2 requirejs@2`; then put BERTVIZ=FOLDER into the
environment. Both tools get the weights of one run and write a page that stands by itself.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Route

from core import load
from core.capture import Trace
from core.heads import survey
from core.views import View, head_view_figure, overview_figure, standalone
from tests.benchmarks.site import save_model, text_of
from tests.e2e.browser import running_browser

LENGTHS = (32, 64, 128)
SCRIPTS = {"d3": "d3/dist/d3.min.js", "jquery": "jquery/dist/jquery.min.js", "require": "requirejs/require.js"}
PATIENCE = 120
OURS, THEIRS = ".headlight[data-drawn]", "#vis svg line, #vis svg path"

Page = Callable[[Trace], str]


def table() -> str:
    """The table as Markdown, one row a view and length: seconds until drawn, and the size of the page."""
    folder = os.environ.get("BERTVIZ")
    if not folder:
        return "BertViz is not here: tests/benchmarks/rival.py says how to get it."
    sys.path.append(folder)
    lines = ["| 12 × 12 heads | tokens | Headlight | BertViz | times as long |", "| --- | --- | --- | --- | --- |"]
    with tempfile.TemporaryDirectory() as models, running_browser() as browser:
        save_model(Path(models) / "heads-12x12")
        model = load(str(Path(models) / "heads-12x12"))
        for title, ours, theirs in VIEWS:
            patient = True
            for length in LENGTHS:
                trace = model.run(text_of(length))
                mine, my_size = _drawn(browser, ours, trace, OURS, folder)
                other = _drawn(browser, theirs, trace, THEIRS, folder) if patient else None
                patient = other is not None
                told = f"{other[0]:.1f} s, {other[1]:,.1f} MB" if other else f"not within {PATIENCE} s"
                ratio = f"× {other[0] / mine:.0f}" if other else ""
                lines.append(f"| {title} | {length} | {mine:.1f} s, {my_size:,.1f} MB | {told} | {ratio} |")
    return "\n".join(lines)


def _all_heads(trace: Trace) -> str:
    figure = overview_figure(trace, survey(trace, "self"), View("self", 0, 0))
    return standalone(figure, {"layer": 0, "head": 0}).decode()


def _head_view(trace: Trace) -> str:
    shown = list(range(trace.heads("self")))
    return standalone(head_view_figure(trace, View("self", 0, 0)), {"layer": 0, "head": 0, "shown": shown}).decode()


def _model_view(trace: Trace) -> str:
    from bertviz import model_view

    return _html(model_view(_maps(trace, range(trace.layers("self"))), list(trace.tokens.labels), html_action="return"))


def _their_head_view(trace: Trace) -> str:
    from bertviz import head_view

    return _html(head_view(_maps(trace, [0]), list(trace.tokens.labels), html_action="return"))


def _maps(trace: Trace, layers: range | list[int]) -> list[object]:
    return [trace.attention(layer)[None] for layer in layers]  # (H, T, T) -> (1, H, T, T)


def _html(shown: Any) -> str:
    return f"<!doctype html><body>{shown.data}</body>"


VIEWS: tuple[tuple[str, Page, Page], ...] = (
    ("all heads", _all_heads, _model_view),
    ("one layer", _head_view, _their_head_view),
)


def _drawn(browser: Browser, build: Page, trace: Trace, drawn: str, folder: str) -> tuple[float, float] | None:
    """Seconds from the arrays to the drawn page, and its megabytes; None where it takes longer than PATIENCE."""
    page = browser.new_page()
    page.route(re.compile("^https?:"), lambda route: _serve(route, folder))
    try:
        with tempfile.TemporaryDirectory() as place:
            start = time.perf_counter()
            file = Path(place) / "page.html"
            file.write_text(build(trace), "utf-8")
            page.goto(file.as_uri(), timeout=1000 * PATIENCE)
            page.locator(drawn).first.wait_for(state="attached", timeout=1000 * PATIENCE)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            return time.perf_counter() - start, file.stat().st_size / 1e6
    except Error:
        return None
    finally:
        page.close()


def _serve(route: Route, folder: str) -> None:
    """The scripts that BertViz asks a public host for, from the folder."""
    file = next(path for name, path in SCRIPTS.items() if f"/{name}" in route.request.url)
    route.fulfill(path=Path(folder) / "node_modules" / file)
