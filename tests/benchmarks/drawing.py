"""What a click costs in the browser, as multiples of a rerun of the page that changes nothing."""

from __future__ import annotations

import psutil
from playwright.sync_api import Locator

from tests.benchmarks.site import Site, served, text_of


def table() -> str:
    """The table as Markdown, one row a case: time from the click to the drawn figure, its multiple, and bytes sent."""
    lines = ["| click to drawn | time | of an empty rerun | sent to the browser |", "| --- | --- | --- | --- |"]
    with served() as site:
        empty = site.empty_rerun()
        lines.append(f"| an empty rerun of the page | {empty:.0f} ms | × 1.0 | |")
        for title, model, tokens, view, figure in CASES:
            _analyse(site, model, tokens, view)
            lines.append(_row(title, empty, *site.medians(_controls(site, figure), figure)))
        lines += _long(site, empty)
    return "\n".join(lines)


CASES = (
    ("all 144 heads, 512 tokens: another colour scale", "heads-12x12", 512, "overview", "overview"),
    ("all 1,024 heads, 128 tokens: another colour scale", "heads-32x32", 128, "overview", "overview"),
    ("one head, 1,024 tokens: another head", "heads-12x12", 1024, "heatmap", "heatmap"),
    ("the page as it opens, 512 tokens: another head", "heads-12x12", 512, "together", "heatmap"),
    ("head view, 512 tokens: another layer", "heads-12x12", 512, "headview", "headview"),
    ("text view, 512 tokens: another head", "heads-12x12", 512, "text", "text"),
    ("query-key view, 512 tokens: another head", "heads-12x12", 512, "querykey", "querykey"),
)


def _analyse(site: Site, model: str, tokens: int, view: str) -> None:
    site.app.open(model=model, view=view, example="pronoun")
    site.app.analyse(text_of(tokens))


def _controls(site: Site, figure: str) -> list[Locator]:
    """What redraws a figure: colour scales for all heads, tiles for one; never a picture that the browser still has."""
    if figure == "overview":
        return [site.app.page.get_by_role("radio", name=name, exact=True) for name in ("linear", "log", "sqrt")]
    return [site.app.tile(layer, layer + 1) for layer in range(1, 8)]


def _row(title: str, empty: float, taken: float, sent: int) -> str:
    return f"| {title} | {taken:.0f} ms | × {taken / empty:.1f} | {sent / 1e6:.2f} MB |"


def _long(site: Site, empty: float) -> list[str]:
    """A text of 16,384 tokens on a small model: the run to its overview and window, another head, and memory."""
    site.app.open(model="long", view="heatmap")
    before = _resident_nbytes()
    first, sent = site.first_picture(text_of(16_384), "whole")
    grown = _resident_nbytes() - before
    title = f"16,384 tokens, 2 × 4 heads: run and first picture (server + {grown / 1e9:.1f} GB)"
    rows = [_row(title, empty, first, sent)]
    tiles = [site.app.tile(place // 4, place % 4) for place in range(1, 7)]
    rows.append(_row("16,384 tokens: another head, overview and window", empty, *site.medians(tiles, "heatmap")))
    return rows


def _resident_nbytes() -> int:
    """Memory of the servers that this process started."""
    children = psutil.Process().children(recursive=True)
    return sum(child.memory_info().rss for child in children if "streamlit" in " ".join(child.cmdline()))
