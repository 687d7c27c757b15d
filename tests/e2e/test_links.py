"""A link opens the view that it was copied from; the text goes along only when somebody asks for it."""

from __future__ import annotations

import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import App, opened_app

OWN = "Zwei Hunde 🐶🐶 & <b>猫</b> = 3 #x? مرحبا"


@pytest.fixture
def clipboard(app: App) -> App:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return app


def copied(app: App, figure: str) -> str:
    app.export(figure).get_by_role("button", name="Copy link").click()
    expect(app.page.locator(".exporter .status")).to_contain_text("copied")
    return str(app.page.evaluate("() => navigator.clipboard.readText()"))


def parameters(link: str) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))


def test_a_copied_link_opens_the_same_view_of_the_readers_own_text(clipboard: App, browser):
    app = clipboard.open().analyse(OWN).drawn()
    app.tile(4, 7).click()
    expect(app.page.get_by_role("heading", name="Layer 4 · Head 7")).to_be_visible()
    app.page.get_by_role("radio", name="log", exact=True).click()
    app.idle().view("Text")
    assert "text" not in parameters(app.page.url)
    link = copied(app, "text")
    asked = parameters(link)
    assert asked["text"] == OWN
    assert (asked["layer"], asked["head"], asked["scale"], asked["view"]) == ("4", "7", "log", "text")
    with opened_app(browser, app.address) as other:
        other.page.goto(link)
        other.drawn("Text")
        expect(other.page.get_by_role("heading", name="Layer 4 · Head 7")).to_be_visible()
        assert other.page.get_by_role("textbox", name="Text", exact=True).input_value() == OWN
        assert other.caption("text") == app.caption("text")
        other.page.reload()
        other.drawn("Text")
        assert other.page.get_by_role("textbox", name="Text", exact=True).input_value() == OWN
        other.analyse("Another text.").drawn("Text")
        other.page.wait_for_url(lambda url: "text" not in parameters(url))
        assert other.problems == []


def test_a_text_that_is_too_long_stays_out_of_the_link_and_that_is_said(clipboard: App):
    app = clipboard.open().analyse("word " * 401).drawn()
    link = copied(app, "heatmap")
    assert "text" not in parameters(link)
    expect(app.page.locator(".exporter .status")).to_contain_text("2,005 characters; a link carries up to 2,000")


def test_the_link_of_an_example_names_it(clipboard: App):
    app = clipboard.open(example="noun-phrases").drawn()
    asked = parameters(copied(app, "heatmap"))
    assert asked["example"] == "noun-phrases"
    assert "text" not in asked


def test_every_choice_of_display_survives_a_reload(app: App):
    wanted = dict(
        example="pronoun", view="heatmap", layer="2", head="mean", scale="log", span="row", words="1", special="hide",
        query="9", key="2",
    )  # fmt: skip
    app.open(**wanted)
    expect(app.page.get_by_role("heading", name="Layer 2 · mean over heads")).to_be_visible()
    caption = app.caption("heatmap")
    for said in ("mean of 12 heads", "logarithmic", "each row", "special tokens left out", "merged to words"):
        assert said in caption
    asked = parameters(app.page.url)
    assert {name: asked.get(name) for name in wanted} == wanted
    app.page.reload()
    assert app.drawn("Heatmap").caption("heatmap") == caption


@pytest.mark.parametrize(
    "nonsense",
    [
        dict(layer="-1", head="1e400", scale="<img>", span="nan", special="$x$", view="**b**", words="2"),
        dict(query="99999999999999999999", key="-0", heads="1,x,99", top="0", above="inf", direction="up", order="[]"),
        dict(text="x" * 2_001, model="../../etc/passwd", dtype="int3", generate="-5", talk="yes", row="NaN", col="1.5"),
        dict(text="\u0000\u0007", text_pair="  ", target="\u200b", example="'; drop table"),
    ],
)
def test_nonsense_falls_back_with_a_sentence(app: App, nonsense: dict[str, str]):
    app.open(**nonsense)
    warnings = app.page.locator(".headlight-note.warning").all_inner_texts()
    assert warnings
    assert all(sentence.rstrip().endswith(".") and len(sentence) < 300 for sentence in warnings)
    assert app.page.locator(".headlight-note.error").count() == 0


def test_a_plain_link_to_a_view_or_to_talk_mode_needs_no_remark(app: App):
    for asked in (dict(view="heatmap"), dict(talk="1")):
        app.open(**asked)
        assert app.page.locator(".headlight-note.warning").count() == 0


def test_back_moves_between_views_and_runs(app: App):
    app.open()
    app.view("Heatmap")
    app.page.wait_for_url(re.compile("view=heatmap"))
    app.page.get_by_role("radio", name="Noun phrases").click()
    app.page.wait_for_url(re.compile("example=noun-phrases"))
    app.page.go_back()
    expect(app.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(re.compile("The animal"))
    app.page.go_back()
    expect(app.figure("headview")).to_be_visible()


def test_back_and_forward_bring_each_own_text_back_and_a_reload_says_that_it_is_gone(app: App):
    app.open(view="heatmap", example="pronoun").analyse(OWN).drawn("Heatmap")
    own = app.page.get_by_role("textbox", name="Text", exact=True)
    app.page.get_by_role("spinbutton", name="Layer (0–5)").fill("5")
    app.page.keyboard.press("Enter")
    app.page.wait_for_url(re.compile("layer=5"))
    address = parameters(app.page.url)
    assert address["own"].isdigit()
    assert "text" not in address
    app.page.get_by_role("radio", name="Noun phrases").click()
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 8")).to_be_visible()
    app.page.wait_for_url(re.compile("example=noun-phrases"))
    app.page.go_back()
    expect(own).to_have_value(OWN)
    expect(app.page.get_by_role("heading", name="Layer 5 · Head 1")).to_be_visible()
    app.page.go_forward()
    expect(own).to_have_value(re.compile("The tired old dog"))
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 8")).to_be_visible()
    app.page.go_back()
    expect(own).to_have_value(OWN)
    app.drawn("Heatmap").page.goto(f"{app.page.url}&query=3&key=4")
    app.drawn("Heatmap")
    expect(own).to_have_value(re.compile("The animal"))
    expect(app.page.get_by_role("heading", name="Layer 5 · Head 1")).to_be_visible()
    assert any("does not carry the text" in note for note in app.notes())
    assert not {"own", "query", "key"} & set(parameters(app.page.url))


def test_a_door_and_a_tab_are_one_step_of_the_history_each(app: App):
    app.open().page.get_by_role("link", name="Models", exact=True).click()
    app.page.get_by_role("radio", name="Server").click()
    app.page.wait_for_url("**/models?way=server")
    app.page.locator(".st-key-models_open_en-fr-transformer button").click()
    app.page.wait_for_url("**/?model=en-fr-transformer&dtype=**")
    app.drawn().page.get_by_role("link", name="Alignment").click()
    app.page.wait_for_url("**/alignment*")
    app.idle().page.go_back()
    app.page.wait_for_url("**/?model=en-fr-transformer&dtype=**")
    app.drawn().page.go_back()
    app.page.wait_for_url("**/models?way=server")
    expect(app.page.get_by_role("radio", name="Server")).to_be_checked()
    app.idle()


def test_back_to_the_first_view_brings_its_example_back(app: App):
    app.open().page.get_by_role("radio", name="Noun phrases").click()
    app.page.wait_for_url(re.compile("example=noun-phrases"))
    app.page.go_back()
    expect(app.page.get_by_role("heading", name="Layer 3 · Head 1")).to_be_visible()
    expect(app.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(re.compile("The animal"))


def test_copying_a_link_says_that_it_carries_the_text(clipboard: App):
    clipboard.open().analyse(OWN).drawn()
    asked = parameters(copied(clipboard, "heatmap"))
    assert (asked["text"], asked.get("own")) == (OWN, None)
    expect(clipboard.page.locator(".exporter .status")).to_have_text("The link is copied. It carries your text.")
