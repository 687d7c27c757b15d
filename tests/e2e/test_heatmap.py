"""The heatmap: exact numbers at every zoom, colours that stand for them, rows and columns, keyboard, what is picked."""

from __future__ import annotations

import re
import urllib.parse

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from tests.benchmarks.site import text_of
from tests.e2e.browser import App
from tests.e2e.reading import choose, levels, point_at, seen, show_display, swept

TOKENS = 300
PRONOUN = "The animal didn't cross the street because it was too tired."


def compare(lines: list[list[str] | None], cells: list[tuple[int, int]], weights: torch.Tensor) -> None:
    """Each cell's tooltip names its weight, rounded to four digits, and its place."""
    for found, (row, col) in zip(lines, cells, strict=True):
        assert found is not None, (row, col)
        assert found[2] == f"query {row}, key {col}"
        assert float(found[1]) == pytest.approx(float(weights[row, col]), rel=6e-4, abs=1e-7)


def rows_seen(app: App) -> int:
    """How many rows are in view."""
    view = seen(app)
    return view["last-row"] - view["first-row"] + 1


def test_every_cell_of_300_tokens_can_be_read_after_zooming(app: App, minilm):
    text = text_of(TOKENS)
    trace = minilm.run(text)
    assert len(trace.tokens) == TOKENS
    app.open(text=text, layer=1, head=8)
    heatmap, page = app.figure("heatmap"), app.page
    weights = trace.attention(1, [8])[0]
    for row, col in [(7, 3), (290, 291)]:
        point_at(app, *middle(app, row, col))
    page.mouse.move(0, 0)
    expect(heatmap.get_by_role("button", name="Zoom out")).to_have_attribute("aria-disabled", "true")
    while rows_seen(app) > 120:
        heatmap.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(60)
    view = seen(app)
    row = view["first-row"] + 11
    cells = [(row, col) for col in range(view["first-col"], view["last-col"] + 1)]
    compare(swept(app, cells), cells, weights)
    cursor = heatmap.locator("canvas.cursor")
    cursor.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+End")
    page.wait_for_timeout(60)
    view = seen(app)
    assert (view["last-row"], view["last-col"]) == (TOKENS - 1, TOKENS - 1)
    cells = [(TOKENS - 1, col) for col in range(view["first-col"], TOKENS)]
    compare(swept(app, cells), cells, weights)
    app.tile(2, 3).click()
    expect(page.get_by_role("heading", name="Layer 2 · Head 3")).to_be_visible()
    app.idle()
    assert seen(app) == view
    compare(swept(app, cells), cells, trace.attention(2, [3])[0])
    heatmap.get_by_role("button", name="Show the whole matrix").click()
    page.wait_for_timeout(60)
    assert seen(app) == {"first-row": 0, "last-row": TOKENS - 1, "first-col": 0, "last-col": TOKENS - 1}


def middle(app: App, row: int, col: int) -> tuple[float, float]:
    """The middle of a cell on the heatmap, in pixels."""
    heatmap, view = app.figure("heatmap"), seen(app)
    place = {side: float(heatmap.get_attribute(f"data-{side}") or 0) for side in ("left", "top", "width", "height")}
    across = place["width"] / (view["last-col"] - view["first-col"] + 1)
    down = place["height"] / (view["last-row"] - view["first-row"] + 1)
    return (
        place["left"] + (col - view["first-col"] + 0.5) * across,
        place["top"] + (row - view["first-row"] + 0.5) * down,
    )


def test_wheel_keys_and_a_drag_zoom_about_what_is_pointed_at(app: App, minilm):
    app.open(example="longer-text", view="heatmap", layer=2, head=4)
    page = app.page
    weights = minilm.run(page.get_by_role("textbox", name="Text", exact=True).input_value()).attention(2, [4])[0]
    count = len(weights)
    cell = (40, 90)
    point_at(app, *middle(app, *cell))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.wait_for_timeout(80)
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_timeout(80)
    assert rows_seen(app) < count // 2
    compare([point_at(app, *middle(app, *cell))], [cell], weights)
    app.figure("heatmap").locator("canvas.cursor").focus()
    page.keyboard.press("0")
    page.wait_for_timeout(80)
    assert rows_seen(app) == count
    for key in ("ArrowDown", "+", "+"):
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    assert rows_seen(app) < count
    page.keyboard.press("-")
    page.keyboard.press("-")
    page.wait_for_timeout(80)
    assert rows_seen(app) == count
    # A rectangle drawn with Shift.
    point_at(app, *middle(app, 20, 20))
    page.keyboard.down("Shift")
    page.mouse.down()
    point_at(app, *middle(app, 60, 60))
    page.mouse.up()
    page.keyboard.up("Shift")
    page.wait_for_timeout(80)
    view = seen(app)
    assert abs(view["first-row"] - 20) <= 1
    assert abs(view["last-row"] - 60) <= 1
    # Dragging moves what is in view.
    page.mouse.move(*mouse_at(app, 40, 40))
    page.mouse.down()
    page.mouse.move(*(side + 80 for side in mouse_at(app, 40, 40)), steps=3)
    page.mouse.up()
    page.wait_for_timeout(80)
    assert seen(app)["first-row"] < view["first-row"]
    assert "query=" not in page.url


def mouse_at(app: App, row: int, col: int) -> tuple[float, float]:
    """The middle of a cell in the window."""
    box = app.figure("heatmap").locator("canvas.cursor").bounding_box()
    assert box is not None
    x, y = middle(app, row, col)
    return box["x"] + x, box["y"] + y


def test_the_colours_are_those_of_the_scale_and_of_what_the_strongest_stands_for(app: App, minilm):
    trace = minilm.run(PRONOUN)
    weights = trace.attention(3, [1])[0].numpy()
    largest = max(float(trace.attention(layer).max()) for layer in range(6))
    tops = {
        "The head's largest weight": weights.max(),
        "Each row's largest weight": weights.max(-1, keepdims=True),
        "The largest weight of all heads": largest,
        "A weight of 1": 1.0,
    }
    app.open(view="heatmap")
    show_display(app)
    for words, top in tops.items():
        if words != "The head's largest weight":
            choose(app, "Strongest colour", words)
            caption = app.card("heatmap").locator(".caption")
            expect(caption).to_contain_text(words[0].lower() + words[1:].split(" of all")[0])
            app.idle()
        np.testing.assert_allclose(levels(app), np.sqrt(weights / top), atol=0.012, err_msg=words)
    for scale, place in {"linear": lambda w: w, "log": lambda w: np.clip(1 + np.log10(w) / 4, 0, 1)}.items():
        app.page.get_by_role("radio", name=scale, exact=True).click()
        app.page.wait_for_url(re.compile(f"scale={scale}"))
        app.idle()
        np.testing.assert_allclose(levels(app), place(weights), atol=0.012, err_msg=scale)
    assert "span=one" in app.page.url


def test_a_label_tells_where_most_of_its_row_or_column_lies(app: App, minilm):
    trace = minilm.run(PRONOUN)
    weights, labels = trace.attention(3, [1])[0], trace.tokens.labels
    app.open(view="heatmap")
    x, y = middle(app, 10, 4)
    for lines, line_of, heading in (
        (lambda: point_at(app, 20, y), weights[10], "query 10 attends most to"),
        (lambda: point_at(app, x, 20), weights[:, 4], "key 4 gets most from"),
    ):
        found = lines()
        assert found[0] == (labels[10] if "query 10" in heading else labels[4])
        assert found[1] == heading
        top = torch.topk(line_of, 5)
        for said, weight, index in zip(found[2:7], top.values.tolist(), top.indices.tolist(), strict=True):
            value, token, side, place = re.match(r"(\S+) (.*) \((query|key) (\d+)\)", said).groups()
            assert float(value) == pytest.approx(weight, rel=1e-3)
            assert (token, int(place)) == (labels[index], index)
            assert side == ("key" if "query 10" in heading else "query")
    assert app.figure("heatmap").get_attribute("data-row") is None
    # A click on a label picks the row or column alone.
    app.figure("heatmap").locator("canvas.cursor").click(position={"x": 20, "y": middle(app, 5, 0)[1]})
    app.page.wait_for_url(re.compile(r"query=5\b"))
    expect(app.card("heatmap").locator(".picked")).to_contain_text("Query 5")
    app.figure("heatmap").locator("canvas.cursor").click(position={"x": middle(app, 0, 4)[0], "y": 20})
    app.page.wait_for_url(lambda url: "key=4" in url and "query=" not in url)
    app.figure("heatmap").locator("canvas.cursor").click(position={"x": 20, "y": middle(app, 5, 0)[1]})
    app.page.wait_for_url(lambda url: "query=5" in url and "key=" not in url)
    expect(app.card("heatmap").locator(".picked")).to_contain_text("Query 5")
    top = torch.topk(weights[5], 3)
    numbers = re.findall(r"\(([\d.e-]+)\)", app.card("heatmap").locator(".picked").inner_text())
    assert [float(number) for number in numbers] == pytest.approx(top.values.tolist(), rel=1e-6)


def test_a_clicked_cell_is_written_out_to_the_last_digit_and_stays_in_the_address(app: App, minilm):
    weights = minilm.run(PRONOUN).attention(3, [1])[0]
    app.open(view="heatmap")
    picked = app.card("heatmap").locator(".picked")
    for row, col in ((10, 2), (3, 14), (0, 0)):
        x, y = middle(app, row, col)
        app.figure("heatmap").locator("canvas.cursor").click(position={"x": x, "y": y})
        app.page.wait_for_url(re.compile(rf"(?=.*query={row}\b)(?=.*key={col}\b)"))
        # Waited for with the text itself: a run that ends meanwhile writes it anew.
        whole = picked.filter(has_text=re.compile(rf"Query {row} .* key {col} .*weight \S+\.\s*$"))
        written = re.search(r"weight (\S+)\.$", whole.inner_text())
        assert written is not None
        assert float(written[1]) == pytest.approx(float(weights[row, col]), rel=2e-7)
    app.page.reload()
    app.drawn("Heatmap")
    expect(picked).to_contain_text("weight")
    # The same cell again, or Escape, lets it go.
    app.figure("heatmap").locator("canvas.cursor").focus()
    app.page.keyboard.press("Escape")
    expect(picked).to_have_text("Click a cell to read its exact weight here.")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(app.page.url).query)
    assert not {"query", "key"} & set(asked)


def test_the_keyboard_reads_every_cell(app: App, minilm):
    trace = minilm.run(PRONOUN)
    weights, labels = trace.attention(3, [1])[0], trace.tokens.labels
    last = len(labels) - 1
    app.open(view="heatmap", layer=3, head=1)
    heatmap = app.figure("heatmap")
    live = heatmap.locator(".live")
    heatmap.locator("canvas.cursor").focus()
    row = col = 0
    # The first key only shows where the reading starts.
    for key, (down, right) in {
        "ArrowDown": (0, 0), "ArrowRight": (0, 1), "End": (0, last), "PageDown": (2, last), "Home": (2, 0),
        "Control+End": (last, last), "ArrowDown ": (last, last), "ArrowUp": (last - 1, last),
    }.items():  # fmt: skip
        app.page.keyboard.press(key.strip())
        row, col = down, right
        names = rf"^query {row} {re.escape(labels[row])}.*key {col} {re.escape(labels[col])}"
        expect(live).to_have_text(re.compile(names))
        number = re.search(r"([\d.e-]+)$", live.inner_text())
        assert number is not None
        assert float(number[1]) == pytest.approx(float(weights[row, col]), rel=6e-4)
    app.page.keyboard.press("Enter")
    app.page.wait_for_url(re.compile(rf"(?=.*query={last - 1}\b)(?=.*key={last}\b)"))
    app.idle()
    # The cell is kept, the focus too: reading goes on from here.
    app.page.keyboard.press("ArrowLeft")
    expect(live).to_contain_text(f"query {last - 1} {labels[last - 1]}, key {last - 1} {labels[last - 1]}")


def test_the_matrix_its_legend_and_the_read_out_are_in_the_window(app: App):
    app.open(view="heatmap", example="longer-text")
    for width, height in ((1440, 900), (1280, 720)):
        app.page.set_viewport_size({"width": width, "height": height})
        app.page.wait_for_timeout(200)
        for part in (app.figure("heatmap").locator(".legend"), app.card("heatmap").locator(".picked")):
            box = part.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= height
