"""The text view: the text letter for letter, coloured by what a token attends to, or by what attends to it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.browser import App
from tests.e2e.reading import RAMP

PRONOUN = "The animal didn't cross the street because it was too tired."
MIXED = "مرحبا بالعالم\n我爱你，猫追老鼠。\n👩‍👩‍👧 e\u0301t\u00e9"
# Below this place on the ramp a colour is no colour.
FAINTEST = 5 / 254
BACKGROUNDS = """(root) => [...root.querySelectorAll('.part')].map((part) =>
  (getComputedStyle(part).backgroundColor.match(/[\\d.]+/g) ?? []).map(Number))"""
LETTERS = """(root) => [...root.querySelectorAll('p')].map((line) => line.textContent).join('\\n')"""


def places_on_ramp(view: Locator) -> np.ndarray:
    """The place on the light ramp of each part's background, 0 where it has none."""
    found = []
    for colour in view.evaluate(BACKGROUNDS):
        clear = len(colour) == 4 and colour[3] == 0
        distances = np.abs(RAMP - np.array(colour[:3])).sum(-1)
        assert clear or distances.min() <= 3
        found.append(0 if clear else distances.argmin() / 254)
    return np.array(found)


def coloured_by(view: Locator, weights: np.ndarray) -> None:
    """The parts have the colours of these weights on the square-root scale, the largest in full."""
    place = np.sqrt(weights / weights.max())
    np.testing.assert_allclose(places_on_ramp(view), np.where(place < FAINTEST, 0, place), atol=0.012)


def test_colours_and_numbers_are_those_of_the_held_word(app: App, minilm):
    trace = minilm.run(PRONOUN)
    weights = trace.attention(3, [1])[0].numpy()
    app.open(view="text", layer=3, head=1, example="pronoun", query=10)
    view, page = app.figure("text"), app.page
    parts = view.locator(".part")
    assert parts.all_inner_texts() == list(trace.tokens.labels)
    coloured_by(view, weights[10])
    expect(view.locator(".note")).to_contain_text("What it (query 10) attends to; strongest: animal")
    for other in (2, 13, 0):
        parts.nth(other).hover()
        lines = view.locator(".tooltip.shown > div").all_inner_texts()
        assert lines[0] == f"it → {trace.tokens.labels[other]}"
        assert float(lines[1]) == pytest.approx(float(weights[10, other]), rel=6e-4)
    parts.nth(6).click()
    page.wait_for_url(re.compile(r"query=6\b"))
    coloured_by(view, weights[6])
    view.get_by_role("radio", name="is attended by").click()
    page.wait_for_url(re.compile("direction=from"))
    coloured_by(view, weights[:, 6])
    parts.nth(2).click()
    page.wait_for_url(re.compile(r"key=2\b"))
    coloured_by(view, weights[:, 2])
    parts.nth(10).hover()
    assert view.locator(".tooltip.shown > div").first.inner_text() == "it → animal"
    page.reload()
    app.drawn("Text")
    expect(view.locator(".part.held")).to_have_text("animal")
    coloured_by(view, weights[:, 2])
    parts.nth(2).focus()
    page.keyboard.press("ArrowRight")
    assert view.locator(".live").inner_text() == f"{float(weights[3, 2]):#.4g}"
    page.keyboard.press("Escape")
    expect(view.locator(".part.held")).to_have_count(0)


def test_every_script_runs_its_own_way_and_stays_whole(app: App, minilm):
    trace = minilm.run(MIXED)
    app.open(view="text").analyse(MIXED).drawn("Text")
    view = app.figure("text")
    tokens = [label for label, special in zip(trace.tokens.labels, trace.tokens.special, strict=True) if not special]
    assert view.evaluate(LETTERS).replace("[CLS]", "").replace("[SEP]", "") == MIXED
    parts = view.locator(".part:not(.special)")
    assert len(tokens) == parts.count()
    boxes = [box for box in (parts.nth(i).bounding_box() for i in range(len(tokens))) if box]
    arabic = [i for i, label in enumerate(tokens) if "\u0600" <= label[0] <= "\u06ff"]
    first, last = boxes[arabic[0]], boxes[arabic[-1]]
    assert first["x"] > last["x"] + last["width"]
    assert abs(first["y"] - last["y"]) < 8
    chinese = [i for i, label in enumerate(tokens) if "\u4e00" <= label[0] <= "\u9fff"]
    across = [boxes[i]["x"] for i in chinese]
    assert across == sorted(across)
    assert [tokens[i] for i in chinese] == list("我爱你猫追老鼠")
    family = view.get_by_role("button", name=re.compile("👩‍👩‍👧"))
    assert family.inner_text() == "👩‍👩‍👧"
    # In a line that runs right to left, the left arrow goes on.
    parts.nth(arabic[0]).focus()
    app.page.keyboard.press("ArrowLeft")
    label = view.evaluate("(root) => root.getRootNode().activeElement.textContent")
    assert label == tokens[arabic[1]]
