"""Words that change places: the order that Python hears of is the order that the reader sees."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from core.text.labels import visible
from core.views import order_payload
from core.views.assets import markup_of, script_of, style_of

WORDS = ["The", "dog", "bit", "the", "man"]
PAGE = """<!doctype html><meta charset="utf-8"><style>body {{ width: 700px }} {style}</style>
<div id="host">{markup}</div>
<script>{script}
globalThis.sent = [];
globalThis.draw = (data) => void drawComponent({{ data, parentElement: document.querySelector("#host"),
  setTriggerValue: (name, value) => sent.push([name, [...value]]) }});
</script>"""


@pytest.fixture(scope="module")
def opened(browser) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    script = script_of("order").replace("export default function (component)", "function drawComponent(component)")
    page.set_content(PAGE.format(style=style_of("order"), markup=markup_of("order"), script=script))
    yield page
    assert page.errors == []
    context.close()


def shown(page: Page, words: list[str], order: list[int] | None = None, busy: bool = False) -> Page:
    """The component as a new text finds it."""
    page.evaluate("() => draw({ labels: ['-'], order: [0], busy: false })")
    page.evaluate(f"draw({json.dumps(order_payload(words, order or range(len(words)), busy))}); sent.length = 0;")
    return page


def words(page: Page) -> list[str]:
    return page.locator(".chip bdi").all_inner_texts()


def sent(page: Page) -> list[int]:
    """The last order that Python heard of."""
    page.wait_for_function("() => sent.length")
    name, order = page.evaluate("sent.at(-1)")
    assert name == "order"
    return order


def test_a_payload_is_an_order_of_its_words():
    assert order_payload(["a", "b"], [1, 0]) == {"labels": ["a", "b"], "order": [1, 0], "busy": False}
    with pytest.raises(ValueError, match="order of 2 words"):
        order_payload(["a", "b"], [1, 1])


def test_two_clicked_words_change_places(opened):
    page = shown(opened, WORDS)
    page.get_by_role("button", name="dog, word 2 of 5").click()
    page.get_by_role("button", name="man, word 5 of 5").click()
    assert sent(page) == [0, 4, 2, 3, 1]
    assert words(page) == ["The", "man", "bit", "the", "dog"]
    assert page.get_by_role("status").inner_text() == "“dog” and “man” have changed places."


def test_a_dragged_word_goes_where_the_mark_is(opened):
    page = shown(opened, WORDS)
    start, end = page.locator(".chip").nth(3).bounding_box(), page.locator(".chip").nth(1).bounding_box()
    page.mouse.move(start["x"] + 9, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 3, end["y"] + 9, steps=4)
    assert page.locator(".gap-mark").is_visible()
    page.mouse.up()
    assert sent(page) == [0, 3, 1, 2, 4]
    assert not page.locator(".ghost, .gap-mark:visible").count()


def test_the_words_are_one_tab_stop_and_shift_moves_one(opened):
    page = shown(opened, WORDS)
    assert page.locator(".chip[tabindex='0']").count() == 1
    page.locator(".chip").first.focus()
    for key in ("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert sent(page) == [0, 2, 3, 1, 4]
    assert page.evaluate("sent.length") == 1
    assert page.evaluate("document.activeElement.textContent") == "2dog"


def test_a_lifted_word_is_dropped_by_enter_and_put_back_by_escape(opened):
    page = shown(opened, WORDS)
    page.locator(".chip").first.focus()
    for key in ("Enter", "End", "Escape"):
        page.keyboard.press(key)
    assert words(page) == WORDS
    for key in ("Enter", "End", "Enter"):
        page.keyboard.press(key)
    assert sent(page) == [1, 2, 3, 4, 0]
    assert "word 5 of 5" in page.get_by_role("status").inner_text()


def test_buttons_shuffle_reverse_and_reset(opened):
    page = shown(opened, ["a", "b"])
    for _ in range(6):
        before = words(page)
        page.get_by_role("button", name="Shuffle").click()
        assert words(page) == before[::-1]
    page = shown(opened, WORDS)
    page.get_by_role("button", name="Reverse").click()
    assert sent(page) == [4, 3, 2, 1, 0]
    page.get_by_role("button", name="Reset").click()
    assert words(page) == WORDS
    assert page.get_by_role("button", name="Reset").get_attribute("aria-disabled") == "true"


def test_words_are_shown_letter_for_letter_and_long_ones_cut(opened):
    hostile = ["<img src=x onerror=alert(1)>", "x" * 400, "👩‍👩‍👧", "猫", "$x$"]
    page = shown(opened, hostile)
    assert words(page) == [visible(word) for word in hostile]
    assert page.locator(".chip").nth(1).bounding_box()["width"] < 300


def test_arabic_runs_from_the_right_and_so_do_the_arrow_keys(opened):
    page = shown(opened, ["الكلب", "يطارد", "القطة"])
    assert page.locator(".chip").first.bounding_box()["x"] > page.locator(".chip").last.bounding_box()["x"]
    page.locator(".chip").first.focus()
    page.keyboard.press("Shift+ArrowLeft")
    assert sent(page) == [1, 0, 2]


def test_an_answer_to_an_older_order_does_not_undo_a_newer_one(opened):
    page = shown(opened, WORDS)
    page.get_by_role("button", name="Reverse").click()
    page.evaluate(f"draw({json.dumps(order_payload(WORDS, range(5), busy=True))})")
    assert words(page) == WORDS[::-1]
    assert page.locator(".busy").is_visible()
    page.wait_for_timeout(1200)
    assert words(page) == WORDS
