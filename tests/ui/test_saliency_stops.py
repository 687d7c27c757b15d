"""The Saliency page without a browser: what was stopped waits for Explain, and what fails leaves the rest."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from core.saliency import METHODS, explaining
from core.ui.saliency.answering import STOPPED_QUESTION, STOPPED_WORDS, STOPPED_WORK
from core.ui.saliency.state import METHODS as CHOSEN
from core.ui.saliency.state import STOPPED, STOPPED_WORKS, TEXT, VIEW
from core.ui.saliency.wish import Asked
from tests.ui.conftest import Page

MODEL = "sentiment-bilstm-additive-0"
FEW = ("attention", "gradient_norm")
ASKED = Asked(MODEL, "A warm, funny film.", "", "", "word", None, None, "margin", "default", "l2")


@pytest.fixture
def saliency(page) -> Page:
    """The page, not yet open."""
    page.app.switch_page("pages/saliency.py")
    return page


def explain(page: Page) -> Page:
    next(button for button in page.app.button if button.label == "Explain").click()
    return page.run()


def rows(page: Page) -> bytes:
    return bytes(page.component("saliency").bytes)


def test_a_question_that_was_stopped_is_asked_again_on_explain_only(saliency):
    saliency.open(model=MODEL, methods=",".join(FEW))
    saliency.tell(**{TEXT: ASKED.text, STOPPED: ASKED})
    assert STOPPED_QUESTION in saliency.sentences
    assert "saliency" not in saliency.drawn
    explain(saliency)
    assert STOPPED_QUESTION not in saliency.sentences
    assert b"Attention weight" in rows(saliency)


def test_methods_that_were_stopped_leave_what_is_ready_on_the_page(saliency):
    saliency.open(model=MODEL, methods=",".join(FEW), text=ASKED.text)
    saliency.tell(**{STOPPED: ASKED, CHOSEN: [*FEW, "smoothgrad"]})
    assert STOPPED_WORDS in saliency.sentences
    assert b'"pending"' in rows(saliency)
    assert saliency.app.get("plotly_chart"), "agreement of the two that are ready"
    explain(saliency)
    assert b'"pending"' not in rows(saliency)


def test_a_control_that_was_stopped_begins_again_on_explain_only(saliency):
    asked = replace(ASKED, text="A dull and silly film.")
    saliency.open(model=MODEL, methods=",".join(FEW), text=asked.text, view="guide")
    saliency.tell(**{STOPPED_WORKS: frozenset({(asked, "control", FEW[1])}), VIEW: "agreement"})
    assert STOPPED_WORK in saliency.sentences
    before = len(saliency.app.get("plotly_chart"))
    explain(saliency)
    assert STOPPED_WORK not in saliency.sentences
    assert len(saliency.app.get("plotly_chart")) == before + 1


def test_a_method_that_fails_in_a_way_nobody_foresaw_leaves_the_others_their_rows(saliency, monkeypatch):
    def fail(*_):
        raise RuntimeError("sizes do not match")

    broken = {**METHODS, FEW[1]: replace(METHODS[FEW[1]], run=fail)}
    monkeypatch.setattr(explaining, "METHODS", MappingProxyType(broken))
    saliency.open(model=MODEL, methods=",".join((*FEW, "input_x_gradient")), text="An honest film.")
    assert rows(saliency).count(b'"scored"') == 2
    assert b"nobody foresaw" in rows(saliency)
