"""The Alignment page in a browser: side by side, word by word, gold links, other words, seconds, links, talk mode."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import App, opened_app, running_server
from tests.e2e.test_accessibility import violations
from tests.ui.translators import write_translators

LONG = 120_000
MODELS = ("en-fr-gru", "en-fr-gru-bahdanau", "en-fr-transformer")
OWN = "the cat is 猫 & <b>new</b>."


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """A server over small random models, so that no test waits for a large one or depends on what one has learnt."""
    folder = tmp_path_factory.mktemp("translators")
    write_translators(folder / "small")
    with running_server(folder / "log.txt", HEADLIGHT_MODELS=str(folder)) as address:
        yield address
    assert "Traceback" not in (folder / "log.txt").read_text()


@pytest.fixture
def alignment(browser, address: str) -> Iterator[App]:
    """A tab for the Alignment page."""
    with opened_app(browser, address) as app:
        yield app
    assert app.problems == []


def arrive(app: App, *models: str, **parameters: object) -> App:
    """Go to the page by an address, and wait for its figures."""
    asked = {"models": ",".join(f"small/{name}" for name in models or MODELS), **parameters}
    app.page.goto(f"{app.address}/alignment?{urllib.parse.urlencode(asked)}")
    return ready(app)


def ready(app: App) -> App:
    app.figure("alignment").wait_for(timeout=LONG)
    app.figure("steps").wait_for(timeout=LONG)
    # Streamlit asks for its own files below the address first, and then finds them at the root.
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def parameters(app: App) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.page.url).query))


def test_models_stand_side_by_side_also_without_attention_and_nobody_is_shut_out(alignment: App):
    arrive(alignment)
    caption = alignment.caption("alignment")
    assert all(name in caption for name in MODELS)
    assert "each row sums to 1" in caption
    expect(alignment.figure("alignment").get_by_text("It has no attention", exact=False)).to_be_visible()
    assert violations(alignment) == []


def test_another_word_is_clicked_and_the_way_back_is_clear(alignment: App):
    arrive(alignment, MODELS[1])
    before = alignment.figure("alignment").inner_text()
    others = alignment.card("steps").locator("button:has-text('%'), [role=button]:has-text('%')")
    others.nth(3).click()
    expect(alignment.page.get_by_role("button", name="Back to its own words")).to_be_visible(timeout=LONG)
    ready(alignment)
    assert parameters(alignment)["prefix"].isdigit()
    assert "the first 1 fixed by the user" in alignment.caption("steps")
    alignment.page.reload()
    ready(alignment).page.get_by_role("button", name="Back to its own words").click()
    expect(alignment.page.get_by_role("button", name="Back to its own words")).to_have_count(0, timeout=LONG)
    ready(alignment)
    assert "prefix" not in parameters(alignment)
    assert alignment.figure("alignment").inner_text() == before


def test_the_step_that_is_open_is_in_the_address_and_opens_again(alignment: App):
    arrive(alignment, MODELS[1])
    shown = alignment.figure("steps")
    expect(shown).to_have_attribute("data-step", "1")
    for step in ("2", "3"):
        alignment.card("steps").get_by_role("button", name="Next token").click()
        expect(shown).to_have_attribute("data-step", step)
    alignment.page.wait_for_url("**step=2**")
    ready(alignment)
    expect(shown).to_have_attribute("data-step", "3")
    alignment.page.reload()
    ready(alignment)
    expect(shown).to_have_attribute("data-step", "3")
    assert parameters(alignment)["step"] == "2"


def test_a_gold_pair_is_judged_beside_the_diagonal(alignment: App):
    arrive(alignment, *MODELS[1:]).page.get_by_role("button", name="Judge a gold pair").click()
    table = alignment.page.locator(".st-key-goldscores_card table").first
    expect(table.locator("tbody tr")).to_have_count(2, timeout=LONG)
    ready(alignment)
    assert {"gold": "pair", "pair": "1", "decoding": "forced"}.items() <= parameters(alignment).items()
    numbers = [float(cell) for cell in table.locator("td").all_inner_texts()]
    assert all(0 <= number <= 1 for number in numbers)
    assert "gold links" in alignment.caption("alignment")


def test_one_click_leads_to_the_encoders_self_attention(alignment: App):
    arrive(alignment, MODELS[2]).page.get_by_role("button", name="Self-attention").click()
    expect(alignment.page.get_by_role("combobox", name="Attention", exact=True)).to_be_visible(timeout=LONG)
    alignment.drawn("Together")
    assert parameters(alignment)["model"] == f"small/{MODELS[2]}"
    assert parameters(alignment)["stream"] == "encoder"
    assert "text" not in parameters(alignment)
    alignment.page.get_by_role("link", name="Alignment").click()
    ready(alignment)


def test_seconds_are_measured_on_a_click_and_can_be_stopped(alignment: App):
    arrive(alignment, *MODELS[1:]).page.get_by_role("button", name="Measure").click()
    expect(alignment.card("seconds")).to_be_visible(timeout=LONG)
    stop = alignment.page.get_by_role("button", name="Stop")
    if stop.count():
        stop.click()
    again = alignment.page.get_by_role("button", name="Measure again")
    expect(again).to_be_visible(timeout=LONG)
    alignment.idle()


def test_a_copied_link_carries_the_text_and_the_address_does_not(alignment: App, browser):
    alignment.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arrive(alignment, MODELS[1])
    alignment.page.get_by_role("textbox", name="Sentence").fill(OWN)
    alignment.page.keyboard.press("Control+Enter")
    expect(alignment.card("alignment").locator(".caption")).to_contain_text("猫", timeout=LONG)
    ready(alignment)
    assert "text" not in parameters(alignment)
    alignment.export("alignment").get_by_role("button", name="Copy link").click()
    expect(alignment.page.locator(".exporter .status")).to_contain_text("copied")
    link = str(alignment.page.evaluate("() => navigator.clipboard.readText()"))
    with opened_app(browser, alignment.address) as other:
        other.page.goto(link)
        ready(other)
        expect(other.page.get_by_role("textbox", name="Sentence")).to_have_value(OWN)


def test_talk_mode_has_the_examples_on_the_number_keys(alignment: App):
    arrive(alignment, MODELS[1], talk=1).page.keyboard.press("2")
    expect(alignment.card("alignment").locator(".caption")).to_contain_text("I do not know", timeout=LONG)
    assert re.search(r"example=negation", ready(alignment).page.url)
