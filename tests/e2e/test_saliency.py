"""The Saliency page in a browser: rows and their numbers, answers, agreement, erasure, links, hostile texts."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from core import load
from core.agreement import baselines, matrix
from core.saliency import METHODS, Scores, ask, explain_all
from core.text.labels import visible
from core.ui.saliency.offered import AT_FIRST, first_text
from core.views.export import unguarded
from tests.e2e.browser import App, opened_app, running_server
from tests.e2e.reading import written_number
from tests.e2e.test_accessibility import violations

LONG = 60_000
BILSTM, TRANSFORMER, LANGUAGE = "sentiment-bilstm-additive-0", "sentiment-transformer", "lm-rotary"
HOSTILE = "</script><img src=x onerror=alert(1)> <b>&amp;</b> **b** $x$ :smile: 猫追老鼠"
OWN = "<b>猫</b> & a good film"
CARDS = {"agreement": ("agreement", "scatter"), "matter": ("erasure",)}


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("saliency") / "log.txt"
    with running_server(log) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture
def saliency(browser, address: str) -> Iterator[App]:
    """A tab for the Saliency page."""
    with opened_app(browser, address) as app:
        yield app
    assert app.problems == []


def arrive(app: App, model: str, **asked: object) -> App:
    """Go to the page by an address, and wait until every method has answered and the panel below is drawn."""
    app.page.goto(f"{app.address}/saliency?{urllib.parse.urlencode({'model': model, **asked})}")
    return ready(app, *CARDS.get(str(asked.get("view", "agreement")), ()))


def ready(app: App, *cards: str) -> App:
    """Wait until every method has answered and these cards are drawn."""
    app.figure("saliency").wait_for(timeout=LONG)
    expect(app.card("saliency").locator(".caption")).not_to_contain_text("still computed", timeout=LONG)
    for card in cards:
        app.card(card).locator(".caption").wait_for(timeout=LONG)
    # Streamlit asks for its own files below the address first, and then finds them at the root.
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def parameters(app: App) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.page.url).query))


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False)


def answered(model: str, text: str = "", methods=AT_FIRST, **asked: object) -> dict[str, Scores]:
    """What `core.saliency` says by itself, in the order of the page."""
    question = ask(load(model), text or first_text(model), **asked)
    ordered = [name for name in METHODS if name in methods]
    return {found.method: found for found in explain_all(question, ordered) if isinstance(found, Scores)}


def assert_same(shown: pd.DataFrame, expected: dict[str, Scores], by: str = "word") -> None:
    assert list(dict.fromkeys(shown["method"])) == list(expected)
    for name, scores in expected.items():
        rows = shown[shown["method"] == name]
        np.testing.assert_allclose(rows["score"], scores.values, rtol=1e-3, atol=1e-5, err_msg=name)
        assert [unguarded(cell) for cell in rows[by]] == list(scores.labels)


@pytest.mark.parametrize("model", [BILSTM, TRANSFORMER])
def test_every_method_has_a_row_or_says_why_not_and_its_numbers_are_those_of_core(saliency: App, model: str):
    arrive(saliency, model, methods=",".join(METHODS), view="guide")
    expected = answered(model, methods=METHODS)
    assert_same(table(saliency.download("saliency", "CSV table")), expected)
    refused = saliency.figure("saliency").locator(".refused-title").all_inner_texts()
    assert set(refused) == {METHODS[name].title for name in METHODS if name not in expected}


def test_pointing_and_the_arrow_keys_tell_each_words_number(saliency: App):
    figure = arrive(saliency, BILSTM, methods="attention,integrated_gradients", view="guide").figure("saliency")
    expected = list(answered(BILSTM, methods=("attention", "integrated_gradients")).values())
    figure.locator(".stage").focus()
    for row, scores in enumerate(expected):
        for group, (label, value) in enumerate(zip(scores.labels, scores.values, strict=True)):
            saliency.page.keyboard.press("ArrowRight" if group else "Home" if row else "ArrowDown")
            spoken = figure.locator(".live").text_content() or ""
            assert spoken.startswith(f"{scores.title}, word {group + 1} {label}, ")
            assert written_number(spoken.split(", ")[-2]) == pytest.approx(value, rel=2e-3)
        saliency.page.keyboard.press("ArrowDown")
    value = figure.locator(".tooltip.shown .tooltip-value").text_content() or ""
    assert written_number(value) == pytest.approx(expected[-1].values[-1], rel=2e-3)


def test_another_label_is_one_click_away_and_turns_the_margin_round(saliency: App):
    arrive(saliency, TRANSFORMER)
    before = table(saliency.download("saliency", "CSV table"))
    saliency.page.get_by_role("radio", name="negative").click()
    expect(saliency.card("saliency").locator(".caption")).to_contain_text("“negative”", timeout=LONG)
    ready(saliency, "agreement")
    assert parameters(saliency)["about"] == "0"
    expect(saliency.page.get_by_role("heading", name="Label “negative”")).to_be_visible()
    after = table(saliency.download("saliency", "CSV table"))
    sign = np.where(before["method"].isin([name for name in METHODS if METHODS[name].signed]), -1, 1)
    turned = (before["score"] * sign)[before["method"] != "gradient_norm"]
    np.testing.assert_allclose(after["score"][turned.index], turned, rtol=1e-3, atol=1e-4)
    saliency.page.go_back()
    expect(saliency.page.get_by_role("heading", name="Label “positive”")).to_be_visible(timeout=LONG)
    ready(saliency, "agreement")
    assert_same(table(saliency.download("saliency", "CSV table")), answered(TRANSFORMER))


def seconds(app: App) -> dict[str, str]:
    """What each method took, to the last digit."""
    rows = app.page.locator(".st-key-saliency_cost tbody tr")
    rows.first.wait_for(state="attached", timeout=LONG)
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    return {cell[0]: cell[3] for cell in cells}


def test_a_method_that_comes_back_is_not_run_again(saliency: App):
    arrive(saliency, TRANSFORMER, view="cost")
    before = seconds(saliency)
    assert len(before) == len(answered(TRANSFORMER))
    title = METHODS["decompx"].title
    box = saliency.page.locator("[data-testid=stMultiSelect]")
    box.get_by_role("button", name=title).click()
    rows = saliency.page.locator(".st-key-saliency_cost tbody tr")
    expect(rows).to_have_count(len(before) - 1)
    ready(saliency)
    assert "decompx" not in parameters(saliency)["methods"]
    assert seconds(saliency) == {name: took for name, took in before.items() if name != title}
    box.get_by_role("combobox").fill(title)
    saliency.page.keyboard.press("Enter")
    expect(rows).to_have_count(len(before))
    assert seconds(ready(saliency)) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_agreement_is_that_of_core_and_has_no_serious_finding(browser, address: str, scheme: str):
    with opened_app(browser, address, scheme=scheme) as app:
        shown = table(arrive(app, TRANSFORMER).download("agreement", "CSV table"))
        question = ask(load(TRANSFORMER), first_text(TRANSFORMER))
        expected = matrix([*answered(TRANSFORMER).values(), *baselines(question)])
        pairs = [(one, other) for one in range(len(expected.names)) for other in range(one + 1, len(expected.names))]
        assert list(shown["one"]) == [expected.names[one] for one, _ in pairs]
        for name in ("tau", "rho", "kappa"):
            told = pd.to_numeric(shown[name])
            np.testing.assert_allclose(told, [getattr(expected, name)[pair] for pair in pairs], atol=1e-6)
        assert app.card("control").count() == 1
        assert violations(app) == []
        assert app.problems == []


def test_a_click_on_a_head_opens_it_on_the_attention_page_and_back_returns(saliency: App):
    arrive(saliency, TRANSFORMER, example="review-bad", scalar="logit", statistic="rho", beside="input_x_gradient")
    saliency.card("headagreement").locator(".js-plotly-plot .points .point").first.wait_for(timeout=LONG)
    saliency.card("headagreement").scroll_into_view_if_needed()
    box = saliency.card("headagreement").locator(".points .point").nth(6).bounding_box()
    assert box is not None
    saliency.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    saliency.page.get_by_role("heading", name="Layer 1 · head 2").wait_for(timeout=LONG)
    saliency.drawn("Together")
    assert {"model": TRANSFORMER, "layer": "1", "head": "2"}.items() <= parameters(saliency).items()
    assert "text" not in parameters(saliency)
    written = saliency.page.get_by_role("textbox", name="Text", exact=True)
    expect(written).to_have_value("The plot is dull and the jokes fall flat.")
    saliency.page.go_back()
    saliency.page.wait_for_url("**/saliency?**")
    ready(saliency, "agreement")
    kept = {"example": "review-bad", "scalar": "logit", "statistic": "rho", "beside": "input_x_gradient"}
    assert kept.items() <= parameters(saliency).items()
    assert "Input × gradient" in saliency.caption("scatter")


def test_erasure_and_its_light_stand_under_does_it_matter_and_random_weights_on_a_click(saliency: App):
    arrive(saliency, TRANSFORMER)
    saliency.page.get_by_role("radio", name="Does it matter?").click()
    ready(saliency, "erasure")
    assert parameters(saliency)["view"] == "matter"
    assert any("lost a share of their words" in sentence for sentence in saliency.notes())
    assert "random orders" in saliency.caption("erasure")
    saliency.page.get_by_role("button", name="Check with random weights").click()
    ready(saliency, "sanity")
    assert violations(saliency) == []


@pytest.mark.parametrize("view", ["cost", "guide"])
def test_the_other_views_have_no_serious_finding(saliency: App, view: str):
    assert violations(arrive(saliency, BILSTM, view=view)) == []


def test_a_copied_link_opens_the_same_view_and_the_address_has_no_text(saliency: App, browser):
    saliency.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    asked = {"methods": "rollout,attention,occlusion_unknown", "view": "matter", "by": "token", "scalar": "logit"}
    arrive(saliency, TRANSFORMER, **asked).analyse(OWN)
    ready(saliency, "erasure")
    assert "text" not in parameters(saliency)
    saliency.export("saliency").get_by_role("button", name="Copy link").click()
    expect(saliency.page.locator(".exporter .status").first).to_contain_text("copied")
    link = str(saliency.page.evaluate("() => navigator.clipboard.readText()"))
    with opened_app(browser, saliency.address) as other:
        other.page.goto(link)
        ready(other, "erasure")
        expect(other.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(OWN)
        assert asked.items() <= parameters(other).items()
        expected = answered(TRANSFORMER, OWN, asked["methods"].split(","), by="token", scalar="logit")
        assert_same(table(other.download("saliency", "CSV table")), expected, "token")


def test_a_hostile_text_stands_letter_for_letter(saliency: App):
    arrive(saliency, TRANSFORMER, text=HOSTILE)
    question = ask(load(TRANSFORMER), HOSTILE)
    figure = saliency.figure("saliency")
    figure.locator(".stage").focus()
    for group, label in enumerate(question.labels):
        saliency.page.keyboard.press("ArrowRight" if group else "ArrowDown")
        spoken = figure.locator(".live").text_content() or ""
        assert spoken.startswith(f"{METHODS['attention'].title}, word {group + 1} {visible(label)}, ")
    main = saliency.page.locator("[data-testid=stMain]")
    assert main.locator("img[src=x], b, .katex").count() == 0
    assert "😄" not in main.inner_text()


def test_what_a_translator_is_made_to_say_stands_letter_for_letter(saliency: App):
    answer = "$ :smile: $ **le** <b>chat</b>"
    arrive(saliency, "en-fr-transformer", text="the cat", answer=answer, methods="attention,gradient_norm", about=0)
    question = ask(load("en-fr-transformer"), "the cat", answer=answer)
    shown = saliency.page.locator(".st-key-target_bar").get_by_role("radio").all_inner_texts()
    assert [text.rpartition(" · ")[0] for text in shown] == [target.label for target in question.targets]
    assert saliency.page.locator("[data-testid=stMain] .katex").count() == 0


@pytest.mark.parametrize("view", ["agreement", "matter"])
def test_one_word_gives_a_row_each_and_a_sentence(saliency: App, view: str):
    saliency.page.goto(f"{saliency.address}/saliency?model={TRANSFORMER}&text=Good&view={view}")
    ready(saliency)
    assert any("One word has no order" in sentence for sentence in saliency.notes())
    assert_same(table(saliency.download("saliency", "CSV table")), answered(TRANSFORMER, "Good"))


def test_a_next_token_is_held_against_another(saliency: App):
    arrive(saliency, LANGUAGE)
    question = ask(load(LANGUAGE), first_text(LANGUAGE))
    target, foil = question.targets[:2]
    assert target == question.target
    saliency.page.get_by_role("combobox", name="Against").click()
    saliency.page.get_by_role("option", name=f"{foil.label} ·").click()
    expect(saliency.card("saliency").locator(".caption")).to_contain_text(f"against “{foil.label}”", timeout=LONG)
    ready(saliency, "agreement")
    assert {"about": str(target.index), "against": str(foil.index)}.items() <= parameters(saliency).items()
    expected = answered(LANGUAGE, target=(target.index, foil.index))
    assert_same(table(saliency.download("saliency", "CSV table")), expected)


def test_what_an_address_asks_for_in_vain_falls_back_with_a_sentence(saliency: App):
    arrive(saliency, TRANSFORMER, about=99, scalar="<b>", word=10**8)
    told = " ".join(saliency.notes())
    assert "There is no label number 99" in told
    assert "There is no scalar <b>" in told
    assert "about" not in parameters(saliency)


def test_talk_mode_has_the_examples_on_the_number_keys(saliency: App):
    arrive(saliency, TRANSFORMER, talk=1).page.keyboard.press("2")
    expect(saliency.card("saliency").locator(".caption")).to_contain_text("“negative”", timeout=LONG)
    assert parameters(ready(saliency, "agreement"))["example"] == "review-bad"
