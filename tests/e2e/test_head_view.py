"""The head view: lines for the strongest weights, held tokens, heads on and off, lines a query, threshold."""

from __future__ import annotations

import re

import pytest
import torch
from playwright.sync_api import expect

from tests.benchmarks.site import text_of
from tests.e2e.browser import App
from tests.e2e.reading import spoken

PRONOUN = "The animal didn't cross the street because it was too tired."
Line = tuple[int, int]
# Lets the head view draw itself into a context that keeps what it is told.
LINES = """(root) => {
  const picture = globalThis.headlight.figures.get('headview').snapshot();
  const context = document.createElement('canvas').getContext('2d'), lines = [], pitch = picture.rowHeight;
  let from = 0;
  context.moveTo = (x, y) => { from = y; };
  context.bezierCurveTo = (...points) => lines.push([from / pitch - 0.5, points[5] / pitch - 0.5, context.strokeStyle]);
  picture.draw(context);
  return lines;
}"""


def drawn_lines(app: App) -> list[tuple[int, int, str]]:
    """The lines of the head view as it draws them into a picture: query, key, colour."""
    app.page.wait_for_timeout(50)
    return [(round(row), round(col), colour) for row, col, colour in app.figure("headview").evaluate(LINES)]


def sent(weights: torch.Tensor) -> torch.Tensor:
    """The weights as they travel: shares of each row's largest in 255 steps; (H, T, S) -> (H, T, S)."""
    largest = weights.amax(-1, keepdim=True)
    return (weights / largest * 255).round() / 255 * largest


def resting(weights: torch.Tensor, top: int = 6, least: float = 0.02) -> dict[int, set[Line]]:
    """The lines of each head at rest."""
    # Of equal weights the first ones.
    values, keys = (found[..., :top] for found in sent(weights).sort(dim=-1, descending=True, stable=True))
    return {
        head: {
            (row, int(key))
            for row in range(weights.shape[1])
            for key, value in zip(keys[head, row], values[head, row], strict=True)
            if value > least
        }
        for head in range(len(weights))
    }


def test_a_token_is_isolated_by_pointing_and_held_by_a_click(app: App, minilm):
    weights = sent(minilm.run(PRONOUN).attention(3, [1]))[0]
    app.open(layer=3, head=1, view="headview", example="pronoun")
    view, page = app.figure("headview"), app.page
    at_rest = view.get_attribute("data-lines")
    assert at_rest == str(len(resting(weights[None])[0]))
    own = int(weights[10].count_nonzero())
    view.get_by_role("button", name="Query 10 it", exact=True).hover()
    expect(view.locator(".note")).to_have_text(f"head 1 · all {own} lines of query 10 “\u2068it\u2069”")
    expect(view).to_have_attribute("data-lines", str(own))
    strongest = int(weights[10].argmax())
    shaded = view.locator(".token.key.shaded").all_inner_texts()
    assert minilm.run(PRONOUN).tokens.labels[strongest] in shaded
    page.mouse.move(0, 0)
    expect(view).to_have_attribute("data-lines", str(at_rest))
    # The keyboard isolates a token as the pointer does.
    view.get_by_role("button", name="Query 10 it", exact=True).focus()
    page.keyboard.press("ArrowDown")
    other = int(weights[11].count_nonzero())
    expect(view.locator(".note")).to_have_text(f"head 1 · all {other} lines of query 11 “\u2068was\u2069”")
    page.keyboard.press("Escape")
    expect(view).to_have_attribute("data-lines", str(at_rest))
    key = view.get_by_role("button", name="Key 2 animal", exact=True)
    key.click()
    page.mouse.move(0, 0)
    expect(key).to_have_attribute("aria-pressed", "true")
    expect(view).to_have_attribute("data-lines", str(int(weights[:, 2].count_nonzero())))
    assert {col for _, col, _ in drawn_lines(app)} == {2}
    page.wait_for_url(re.compile(r"key=2\b"))
    page.reload()
    app.drawn("Head view")
    expect(key).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".note")).to_contain_text("held")
    view.get_by_role("button", name="Key 3 didn", exact=True).focus()
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    view.get_by_role("slider", name="lines per query").focus()
    expect(view).to_have_attribute("data-lines", str(at_rest))


def test_heads_are_switched_on_and_off_and_the_address_says_which(app: App, minilm):
    lines = resting(minilm.run(PRONOUN).attention(3))
    app.open(layer=3, head=1, view="headview", example="pronoun")
    view, page = app.figure("headview"), app.page
    pressed = view.locator(".chip[aria-pressed=true]")

    def shows(*heads: int) -> None:
        expect(pressed).to_have_text([str(head) for head in heads])
        expect(view).to_have_attribute("data-lines", str(sum(len(lines[head]) for head in heads)))

    shows(1)
    view.get_by_role("button", name="Head 5", exact=True).click()
    shows(1, 5)
    by_colour: dict[str, set[Line]] = {}
    for row, col, colour in drawn_lines(app):
        by_colour.setdefault(colour, set()).add((row, col))
    assert sorted(map(sorted, by_colour.values())) == sorted(map(sorted, (lines[1], lines[5])))
    view.get_by_role("button", name="Show all heads").click()
    shows(*range(12))
    view.get_by_role("button", name="Show no head").click()
    shows()
    expect(view.locator(".note")).to_contain_text("No head is shown")
    view.get_by_role("button", name="Head 0", exact=True).click()
    view.get_by_role("button", name="Head 0", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    shows(0, 2)
    page.wait_for_url(re.compile(r"heads=0(%2C|,)2\b"))
    page.reload()
    app.drawn("Head view")
    shows(0, 2)
    view.get_by_role("button", name="Show only head 1").click()
    shows(1)
    view.get_by_role("button", name="Head 7", exact=True).dblclick()
    shows(7)
    page.wait_for_url(re.compile(r"heads=7\b"))
    # Another head opened on the page is the one that is shown.
    app.tile(3, 4).click()
    shows(4)


def test_lines_a_query_and_threshold_choose_the_strongest(app: App, minilm):
    weights = minilm.run(PRONOUN).attention(2, [8])
    app.open(layer=2, head=8, view="headview", example="pronoun")
    view, page = app.figure("headview"), app.page
    top, least = view.get_by_role("slider", name="lines per query"), view.get_by_role("slider", name="weight above")

    def shows(count: int, above: float) -> None:
        expected = resting(weights, count, above)[0]
        expect(view).to_have_attribute("data-lines", str(len(expected)))
        assert {(row, col) for row, col, _ in drawn_lines(app)} == expected

    shows(6, 0.02)
    top.fill("1")
    shows(1, 0.02)
    expect(view.locator(".note")).to_contain_text("head 8 · the largest weight of each query above 0.02")
    top.focus()
    page.keyboard.press("ArrowRight")
    shows(2, 0.02)
    expect(top).to_have_attribute("aria-valuetext", "2")
    for _ in range(4):
        least.press("ArrowRight")
    shows(2, 0.075)
    page.wait_for_url(re.compile(r"(?=.*top=2\b)(?=.*above=0\.075)"))
    page.reload()
    app.drawn("Head view")
    shows(2, 0.075)


def test_of_512_tokens_the_strongest_keys_of_each_query_arrive(app: App, minilm):
    text = text_of(512)
    weights = minilm.run(text).attention(4, [3])[0]
    app.open(view="headview", layer=4, head=3).analyse(text).drawn("Head view")
    assert "the 32 largest weights of each query" in app.caption("headview")
    view = app.figure("headview")
    labels = minilm.run(text).tokens.labels
    view.get_by_role("button", name=re.compile("^Query 0 ")).focus()
    for query in (1, 2, 511):
        told = spoken(view, "End" if query == 511 else "ArrowDown")
        value = weights[query].max()
        if value > 0.02:
            found = re.match(r"Strongest: key (\d+) (\S+) ([\d.]+)", told)
            assert found is not None, told
            assert float(found[3]) == pytest.approx(float(weights[query, int(found[1])]), abs=0.006)
            assert float(found[3]) == pytest.approx(float(value), abs=0.011)
            assert found[2] == labels[int(found[1])]
    app.page.keyboard.press("Escape")
    view.get_by_role("slider", name="weight above").fill("7")
    lines = {(row, col) for row, col, _ in drawn_lines(app)}
    expected = resting(weights[None], 6, 0.03)[0]
    # Equal weights may come in either order.
    assert len(lines) == len(expected)
    assert len(lines & expected) >= 0.97 * len(expected)


def test_a_released_token_leaves_nothing_picked_on_the_other_side(app: App):
    app.open(view="headview", layer=3, head=1, query=10, key=2)
    view, page = app.figure("headview"), app.page
    query = view.get_by_role("button", name="Query 10 it", exact=True)
    expect(query).to_have_attribute("aria-pressed", "true")
    view.get_by_role("button", name="Key 4 '", exact=True).click()
    page.wait_for_url(lambda url: "key=4" in url and "query=" not in url)
    query.click()
    page.wait_for_url(lambda url: "query=10" in url and "key=" not in url)
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "query=" not in url and "key=" not in url)
    app.idle().view("Text")
    expect(app.figure("text").locator(".part.held")).to_have_count(0)


def test_all_of_the_box_and_its_note_are_in_the_window(app: App):
    app.open(view="headview", example="longer-text")
    for height in (900, 720):
        app.page.set_viewport_size({"width": 1440, "height": height})
        note = app.figure("headview").locator(".note")
        app.page.wait_for_timeout(200)
        box = note.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height


def test_of_several_quick_picks_the_last_one_stays(app: App):
    app.open(view="headview", layer=3, head=1)
    view = app.figure("headview")
    for name in ("Query 6 cross", "Query 7 the", "Query 6 cross", "Key 8 street", "Query 12 too"):
        view.get_by_role("button", name=name, exact=True).click()
    held = view.locator(".token[aria-pressed=true]")
    expect(held).to_have_attribute("aria-label", "Query 12 too")
    app.page.wait_for_url(lambda url: "query=12" in url and "key=" not in url)
    app.idle()
    expect(held).to_have_attribute("aria-label", "Query 12 too")
