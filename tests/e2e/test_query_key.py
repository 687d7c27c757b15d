"""The query-key view: each number is that of the model's own queries and keys, and queries and order can be chosen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.browser import App
from tests.e2e.reading import spoken, written_number

PRONOUN = "The animal didn't cross the street because it was too tired."
KIND = "(?:, special token|, unknown to the model)?"
SPOKEN = re.compile(rf"^Key (\d+) (.*?){KIND}(?:, q k (\S+))?, score (\S+), weight (\S+)$")


def keys_told(view: Locator, count: int) -> list[tuple[int, str, str, str, str]]:
    """Place, label, q·k, score and weight of each key from top to bottom, as a screen reader is told."""
    view.locator(".box").focus()
    found = []
    for row in range(count):
        told = spoken(view, "ArrowDown" if row else "Home")
        match = SPOKEN.match(told)
        assert match is not None, told
        place, *texts = match.groups()
        found.append((int(place), *texts))
    return found


def is_written(text: str, value: float) -> bool:
    """Whether a text is a number rounded to the digits that it shows."""
    digits, _, power = text.replace("−", "-").partition("e")
    step = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(written_number(text) - value) <= 0.5 * step + 1e-5 * abs(value)


def agrees(told: list[tuple[int, str, str, str, str]], detail, labels) -> None:
    """Every key that the query could attend to has the numbers of the detail, to the digits that are shown."""
    assert sorted(place for place, *_ in told) == [i for i in range(len(labels)) if not detail.masked[i]]
    for place, label, dot, score, weight in told:
        assert label == labels[place]
        assert is_written(dot, float(detail.dots[place])), (place, dot)
        assert is_written(score, float(detail.logits[place])), (place, score)
        assert is_written(weight, float(detail.weights[place])), (place, weight)


def test_the_numbers_of_every_key_and_of_a_dimension_are_the_models(app: App, minilm):
    trace = minilm.run(PRONOUN)
    labels = trace.tokens.labels
    detail = trace.query_key(3, 1, 10)
    app.open(view="querykey", layer=3, head=1, query=10, key=2, example="pronoun")
    view, page = app.figure("querykey"), app.page
    worked = view.locator(".worked")
    assert view.locator(".formula").inner_text() == "weight = softmax( q·k × 0.1768 )"
    found = re.match(r"animal: (\S+) × 0\.1768 = (\S+) → weight (\S+)", worked.inner_text())
    assert found is not None, worked.inner_text()
    for said, value in zip(found.groups(), (detail.dots[2], detail.logits[2], detail.weights[2]), strict=True):
        assert is_written(said, float(value))
    told = keys_told(view, len(labels))
    assert [place for place, *_ in told] == list(range(len(labels)))
    agrees(told, detail, labels)
    view.locator(".box").focus()
    page.keyboard.press("Home")
    spoken(view, "ArrowRight")
    for dim in range(1, 4):
        text = spoken(view, "ArrowRight")
        numbers = re.match(r"dimension (\d+), q (\S+) × k (\S+) = (\S+)", text)
        assert numbers is not None, text
        q, k = float(detail.query[dim]), float(detail.key[0, dim])
        assert int(numbers[1]) == dim
        shown = [written_number(number) for number in numbers.groups()[1:]]
        assert shown == pytest.approx([q, k, q * k], rel=6e-3)
    assert view.locator(".tooltip.shown .tooltip-note").inner_text() == "dimension 3 of 32, counted from 0"


def test_another_query_and_the_order_are_chosen_and_stay(app: App, minilm):
    trace = minilm.run(PRONOUN)
    labels = trace.tokens.labels
    app.open(view="querykey", layer=2, head=8, example="pronoun")
    view, page = app.figure("querykey"), app.page
    # Nothing picked: the last token that is not special.
    expect(view.get_by_role("combobox")).to_have_value(str(len(labels) - 2))
    view.get_by_role("combobox").select_option("4")
    expect(view).to_have_attribute("data-query", "4")
    page.wait_for_url(re.compile(r"query=4\b"))
    view.get_by_role("radio", name="by weight").click()
    page.wait_for_url(re.compile("order=weight"))
    detail = trace.query_key(2, 8, 4)
    told = keys_told(view, len(labels))
    agrees(told, detail, labels)
    weights = [written_number(weight) for *_, weight in told]
    assert weights == sorted(weights, reverse=True)
    assert told[0][0] == int(detail.weights.argmax())
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"key={told[0][0]}\b"))
    page.reload()
    app.drawn("Query–key")
    expect(view.get_by_role("radio", name="by weight")).to_have_attribute("aria-checked", "true")
    expect(view).to_have_attribute("data-query", "4")
    expect(view).to_have_attribute("data-key", str(told[0][0]))
    app.tile(0, 2).click()
    expect(page.get_by_role("heading", name="Layer 0 · Head 2")).to_be_visible()
    app.idle()
    agrees(keys_told(view, len(labels)), trace.query_key(0, 2, 4), labels)
    # A mean has no query of its own: that is said, and the way back works.
    page.get_by_text("Mean over heads").click()
    expect(page.get_by_text("Queries and keys belong to one head")).to_be_visible()
    app.tile(1, 1).click()
    expect(view).to_be_visible()


def test_the_list_ends_with_a_whole_row_and_a_key_is_picked_for_the_query_shown(app: App):
    app.open(view="querykey", example="longer-text")
    view, page = app.figure("querykey"), app.page
    for height in (900, 760):
        page.set_viewport_size({"width": 1440, "height": height})
        page.wait_for_timeout(200)
        visible, whole = view.locator(".box").evaluate("(box) => [box.clientHeight, box.scrollHeight]")
        rows = view.get_by_role("combobox").locator("option").count()
        assert visible / (whole / rows) == pytest.approx(round(visible / (whole / rows)), abs=1e-6)
    shown = view.get_attribute("data-query")
    view.locator(".box").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"(?=.*query={shown}\b)(?=.*key=0\b)"))
