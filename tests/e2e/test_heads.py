"""Models whose head is no classifier, decoder or bare encoder, and regressions, on the Attention and Saliency pages."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect
from transformers import (
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
)

from core import load
from core.models.token_labels import best_labels
from core.saliency import ask
from tests.e2e.browser import App, running_server
from tests.tiny import save_model

LONG = 60_000
TEXT, CONTEXT = "where is the cat", "the cat sat on the mat and the dog chased the owner"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, byte_level) -> Path:
    root = tmp_path_factory.mktemp("heads")
    save_model(root / "questions", "bert", AutoModelForQuestionAnswering, byte_level)
    save_model(root / "tagger", "bert", AutoModelForTokenClassification, byte_level, num_labels=5)
    one = dict(num_labels=1, problem_type="regression")
    save_model(root / "regression", "bert", AutoModelForSequenceClassification, byte_level, **one)
    return root


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folders: Path) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_server(log, HEADLIGHT_MODELS=str(folders)) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


def saliency(app: App, **asked: object) -> App:
    app.page.goto(f"{app.address}/saliency?{urllib.parse.urlencode(asked)}")
    app.figure("saliency").wait_for(timeout=LONG)
    expect(app.card("saliency").locator(".caption")).not_to_contain_text("still computed", timeout=LONG)
    app.problems[:] = [problem for problem in app.problems if "404" not in problem]
    return app.idle()


def answers(app: App) -> Locator:
    return app.page.locator(".headlight-shares tr")


def test_an_answer_is_shown_whole_and_each_end_of_it_is_explained(app: App, folders: Path):
    model = load(str(folders / "questions"))
    asked = {"model": "questions", "text": TEXT, "text_pair": CONTEXT}
    app.open(**asked, view="heatmap")
    spans = model.run(TEXT, CONTEXT).output.likeliest
    assert [row.text_content() for row in answers(app).locator("th").all()] == [name for name, _ in spans]
    card = app.page.locator(".st-key-answer_card").bounding_box()
    last = answers(app).locator("td.number").first.bounding_box()
    assert card is not None
    assert last is not None
    assert last["x"] + last["width"] <= card["x"] + card["width"]
    question = ask(model, TEXT, text_pair=CONTEXT, target="end")
    saliency(app, **asked, about=1, view="guide")
    expect(app.page.get_by_role("heading", name=question.target.words.capitalize())).to_be_visible()
    app.page.get_by_role("combobox", name="at the token").click()
    app.page.get_by_role("option", name="␣mat", exact=False).click()
    place = question.tokens.labels.index("␣mat")
    expect(app.page.get_by_role("heading", name="End of the answer at “mat”")).to_be_visible(timeout=LONG)
    app.idle()
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.page.url).query))
    assert (query["about"], query["at"]) == ("1", str(place))
    chosen = ask(model, TEXT, text_pair=CONTEXT, target="end", at=place)
    expect(app.page.get_by_text(f"p = {chosen.probability:.3f}")).to_be_visible()


def test_the_label_of_a_chosen_token_is_explained(app: App, folders: Path):
    model = load(str(folders / "tagger"))
    app.open(model="tagger", text=TEXT, view="heatmap")
    expected = [name for name, _ in best_labels(model.run(TEXT).output)]
    assert [row.locator("td").last.text_content() for row in answers(app).all()] == expected
    question = ask(model, TEXT, at=1, target=3)
    saliency(app, model="tagger", text=TEXT, at=1, about=3, view="guide")
    expect(app.page.get_by_role("heading", name=question.target.words.capitalize(), exact=False)).to_be_visible()
    expect(app.page.get_by_text(f"p = {question.probability:.3f}")).to_be_visible()


def test_a_regression_is_a_number_on_every_page(app: App, folders: Path):
    output = load(str(folders / "regression")).run(TEXT).output
    app.open(model="regression", text=TEXT, view="heatmap")
    shown = answers(app).locator("td.number").inner_text()
    assert float(shown) == pytest.approx(float(output.values[0]), rel=1e-4)
    assert app.page.locator(".headlight-shares .bar").count() == 0
    saliency(app, model="regression", text=TEXT, view="matter")
    app.card("erasure").locator(".caption").wait_for(timeout=LONG)
    words = app.page.locator("[data-testid=stMain]").inner_text()
    assert "probability" not in words
    assert f"{float(output.values[0]):.3g}" in words
