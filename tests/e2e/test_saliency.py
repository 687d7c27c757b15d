"""The Saliency page in a browser: rows and their numbers, targets, agreement, erasure, heads, links, odd texts."""

from __future__ import annotations

import csv
import re
import urllib.parse
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect

import core
from core.agreement import agreement
from core.saliency import METHODS, explain
from tests.e2e.browser import App, opened_app
from tests.e2e.test_accessibility import violations

LONG = 120_000
POOLING, TRANSFORMER = "sentiment-bilstm-additive-0", "sentiment-transformer"
TEXT = "A warm, funny and deeply moving film."
FEW = ("attention", "gradient_norm", "integrated_gradients")
HEADS = ".st-key-headagreement_card .js-plotly-plot"


@pytest.fixture
def saliency(browser, server: str) -> Iterator[App]:
    """A tab for the Saliency page."""
    with opened_app(browser, server) as app:
        yield app
    assert app.problems == []


def arrive(app: App, **parameters: object) -> App:
    """Go to the page by an address, and wait for its words."""
    asked = {"model": POOLING, "methods": ",".join(FEW), **parameters}
    app.page.goto(f"{app.address}/saliency?{urllib.parse.urlencode(asked)}")
    return ready(app)


def ready(app: App) -> App:
    app.figure("saliency").wait_for(timeout=LONG)
    # Streamlit asks for its own files below the address first, and then finds them at the root.
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def parameters(app: App) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.page.url).query))


def table(app: App, name: str = "saliency") -> list[dict[str, str]]:
    """The lines of a figure's CSV table."""
    with app.download(name, "CSV table").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def scores(app: App, method: str) -> np.ndarray:
    return np.array([float(line["score"]) for line in table(app) if line["method"] == method])


def word_after_word(app: App) -> list[str]:
    """The numbers of the first row as a reader without a pointer hears them."""
    stage = app.figure("saliency").locator(".stage")
    stage.focus()
    count = int(re.findall(r"(\d+) words", stage.get_attribute("aria-label") or "")[0])
    heard = []
    for key in ["ArrowRight"] * count:
        app.page.keyboard.press(key)
        heard.append(app.figure("saliency").locator(".live").text_content() or "")
    return [re.split(", ", each)[-2] for each in heard]


def test_numbers_of_rows_tooltips_and_tables_are_those_of_core(saliency: App):
    arrive(saliency)
    model = core.load(POOLING)
    for method in FEW:
        np.testing.assert_allclose(scores(saliency, method), explain(model, TEXT, method).values, rtol=1e-5, atol=1e-7)
    heard = [float(number.replace("−", "-")) for number in word_after_word(saliency)]
    np.testing.assert_allclose(heard, explain(model, TEXT, "attention").values, rtol=2e-3, atol=1e-6)
    assert violations(saliency) == []


def test_another_class_is_one_click_away_and_turns_the_signs(saliency: App):
    arrive(saliency)
    before = scores(saliency, "integrated_gradients")
    saliency.page.get_by_role("radio", name=re.compile("^negative")).click()
    expect(saliency.card("saliency").locator(".caption")).to_contain_text("“negative”", timeout=LONG)
    ready(saliency)
    assert "about" in parameters(saliency)
    np.testing.assert_allclose(scores(saliency, "integrated_gradients"), -before, rtol=1e-4, atol=1e-6)


def test_a_method_more_is_a_row_more_and_the_rest_stays_as_it_was(saliency: App):
    arrive(saliency)
    before = scores(saliency, "gradient_norm")
    saliency.page.get_by_role("combobox", name=re.compile("Methods")).fill("SmoothGrad")
    saliency.page.keyboard.press("Enter")
    saliency.page.keyboard.press("Escape")
    expect(saliency.page).to_have_url(re.compile("smoothgrad"), timeout=LONG)
    ready(saliency)
    assert len(scores(saliency, "smoothgrad")) == len(before)
    assert (scores(saliency, "gradient_norm") == before).all()


def test_agreement_is_that_of_core_with_its_control_beside(saliency: App):
    arrive(saliency)
    found = {(line["one"], line["other"]): float(line["tau"]) for line in table(saliency, "agreement")}
    model = core.load(POOLING)
    one, other = (explain(model, TEXT, method) for method in FEW[:2])
    assert found[FEW[0], FEW[1]] == pytest.approx(agreement(one, other).tau)
    assert ("attention", "position") in found
    assert "permuted" in saliency.caption("control")
    assert "tau" in saliency.caption("scatter")
    assert violations(saliency) == []


def test_a_click_on_a_head_opens_it_on_the_attention_page(saliency: App):
    arrive(saliency, model=TRANSFORMER)
    cell = saliency.page.locator(f"{HEADS} .scatterlayer .trace .point").nth(5)
    cell.wait_for(state="attached", timeout=LONG)
    saliency.page.locator(HEADS).scroll_into_view_if_needed()
    box = cell.bounding_box()
    assert box is not None
    saliency.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(saliency.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT, timeout=LONG)
    saliency.page.wait_for_url("**layer=1**")
    saliency.drawn("Together")
    assert {"model": TRANSFORMER, "layer": "1", "head": "1"}.items() <= parameters(saliency).items()


def test_erasure_shows_every_method_its_random_orders_and_the_light(saliency: App):
    arrive(saliency, view="matter")
    saliency.card("erasure").wait_for(timeout=LONG)
    assert "20 random orders" in saliency.caption("erasure")
    assert any("trained on texts that lost a share of their words" in each for each in saliency.notes())
    saliency.page.get_by_role("button", name=re.compile("random weights")).click()
    saliency.card("sanity").wait_for(timeout=LONG)
    assert violations(ready(saliency)) == []


def test_a_copied_link_opens_the_same_view_and_the_address_has_no_text(saliency: App, browser):
    own = "An honest 猫 & <b>new</b> film."
    saliency.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arrive(saliency, by="token", view="cost", scalar="logit")
    saliency.page.get_by_role("textbox", name="Text", exact=True).fill(own)
    saliency.page.keyboard.press("Control+Enter")
    expect(saliency.page).to_have_url(re.compile("own="), timeout=LONG)
    ready(saliency)
    assert "text" not in parameters(saliency)
    saliency.export("saliency").get_by_role("button", name="Copy link").click()
    expect(saliency.page.locator(".exporter .status")).to_contain_text("copied")
    link = str(saliency.page.evaluate("() => navigator.clipboard.readText()"))
    with opened_app(browser, saliency.address) as other:
        other.page.goto(link)
        ready(other)
        expect(other.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(own)
        asked = {"by": "token", "view": "cost", "scalar": "logit", "methods": ",".join(FEW)}
        assert asked.items() <= parameters(other).items()
        assert "猫" in "".join(line["token"] for line in table(other))


def test_one_word_has_scores_and_a_sentence_in_the_place_of_statistics(saliency: App):
    arrive(saliency, text="Wonderful")
    assert len(scores(saliency, "attention")) == 1
    assert any("One word has no order" in each for each in saliency.notes())


def test_talk_mode_has_the_examples_on_the_number_keys(saliency: App):
    arrive(saliency, talk=1)
    saliency.page.keyboard.press("2")
    expect(saliency.page).to_have_url(re.compile("example=review-bad"), timeout=LONG)
    assert violations(ready(saliency)) == []


def test_every_method_that_is_chosen_has_a_row_or_a_reason(saliency: App):
    arrive(saliency, methods=",".join(METHODS))
    figure = saliency.figure("saliency")
    refused = figure.locator(".refusals li")
    expect(refused.first).to_be_visible()
    scored = {line["method"] for line in table(saliency)}
    assert len(scored) + refused.count() == len(METHODS)
