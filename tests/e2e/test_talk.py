"""Talk mode: one key, large type, the sidebar folded, the examples on the number keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import App, opened_app


def root_font(app: App) -> float:
    return float(app.page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)"))


@pytest.fixture
def wide(browser, server: str):
    with opened_app(browser, server, width=1920) as app:
        yield app
    assert app.problems == []


def folded(app: App, is_folded: bool) -> None:
    expect(app.page.locator("[data-testid=stSidebar]")).to_have_attribute("data-collapsed", str(is_folded).lower())


def test_the_address_opens_it_with_21_pixels_on_a_wide_screen(wide: App):
    wide.open(talk=1)
    assert root_font(wide) == pytest.approx(21, abs=0.05)
    folded(wide, True)
    labels = wide.figure("headview").locator(".token.query").first
    assert labels.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)") > 14


def test_the_key_t_turns_it_on_and_off(wide: App):
    wide.open()
    folded(wide, False)
    assert root_font(wide) == 15
    wide.page.get_by_role("heading").first.click()
    wide.page.keyboard.press("t")
    wide.page.wait_for_url("**talk=1**")
    wide.drawn()
    folded(wide, True)
    wide.page.keyboard.press("t")
    expect(wide.page.get_by_role("button", name="Leave talk mode")).to_have_count(0)
    folded(wide, False)
    assert root_font(wide) == 15


def test_typing_is_no_shortcut(wide: App):
    wide.open()
    wide.page.get_by_role("textbox", name="Text", exact=True).fill("")
    wide.page.keyboard.type("two t 1 2 3")
    wide.page.get_by_role("spinbutton", name="Head (0–11)").focus()
    wide.page.keyboard.press("t")
    wide.page.wait_for_timeout(500)
    wide.idle()
    assert "talk" not in wide.page.url
    assert wide.page.get_by_role("textbox", name="Text", exact=True).input_value() == "two t 1 2 3"


def test_number_keys_open_the_examples_with_their_heads(wide: App):
    wide.open(talk=1)
    wide.page.keyboard.press("3")
    expect(wide.page.get_by_role("heading", name="Layer 0 · Head 2")).to_be_visible()
    assert wide.queries() == ["[CLS]", "the", "cat", "and", "the", "dog", "and", "the", "the", "bird", "[SEP]"]
    wide.page.keyboard.press("2")
    expect(wide.page.get_by_role("heading", name="Layer 2 · Head 8")).to_be_visible()


def test_the_views_are_reachable_in_it(wide: App):
    wide.open(talk=1).view("Heatmap").view("Text")
    assert "talk=1" in wide.page.url
    assert "view=text" in wide.page.url


def test_the_figures_have_most_of_the_height(wide: App):
    wide.open(talk=1)
    top = wide.card("heatmap").bounding_box()
    assert top is not None
    assert top["y"] < 220
