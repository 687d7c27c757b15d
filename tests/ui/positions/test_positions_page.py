"""The Positions page without a browser: its views run, say what cannot be had, and never show a traceback."""

from __future__ import annotations

import json

import pytest

from core.positions import SCHEMES
from core.ui.positions.offered import VIEWS
from core.ui.positions.state import ORDER, SCHEME, SOURCE, TEXT, VIEW, key_of


@pytest.fixture(scope="module")
def opened():
    """The page, opened once for all tests of this file."""
    from tests.ui.conftest import Page

    page = Page().open()
    page.app.switch_page("pages/positions.py")
    return page.run()


def specs(page) -> list[dict]:
    """The Plotly figures of the page."""
    return [json.loads(chart.proto.spec) for chart in page.app.get("plotly_chart")]


def test_every_scheme_has_its_formula_and_figures_or_a_sentence(opened):
    for name in SCHEMES:
        opened.tell(**{VIEW: "scheme", SOURCE: "formula", SCHEME: name})
        assert opened.title == SCHEMES[name].title.replace("(", r"\(").replace(")", r"\)")
        assert SCHEMES[name].formula.latex in opened.app.latex[0].value
        assert len(specs(opened)) >= 2 or opened.sentences
        assert opened.address["scheme"] == name


def test_a_slider_reaches_the_figure_and_the_address(opened):
    opened.tell(**{VIEW: "scheme", SOURCE: "formula", SCHEME: "sinusoidal"})
    opened.app.slider(key=key_of("length")).set_value(24)
    opened.run()
    assert opened.address["length"] == "24"
    assert "positions 24" in opened.html
    opened.tell(**{key_of("length"): 128})


def test_a_model_shows_its_own_table(opened):
    opened.tell(**{VIEW: "scheme", SOURCE: "model"})
    assert "embeddings.position_embeddings.weight" in opened.html
    assert len(specs(opened)) == 6


def test_two_sides_that_are_the_same_get_a_sentence(opened):
    opened.tell(**{VIEW: "pair", SOURCE: "formula", SCHEME: "alibi"})
    assert opened.sentences[-1].startswith("Both sides are the same")
    opened.tell(**{SCHEME: "sinusoidal"})
    assert len(specs(opened)) == 2


def test_an_empty_text_gets_a_sentence_and_words_move(opened):
    opened.tell(**{VIEW: "order", TEXT: " "})
    assert opened.sentences[-1].startswith("Type a text")
    opened.tell(**{TEXT: "老鼠追猫", ORDER: (0, 1, 2, 3)})
    assert "order" in opened.drawn
    opened.tell(**{ORDER: (0, 1)})
    assert any("another text" in sentence for sentence in opened.sentences)


def test_every_view_says_what_is_looked_at(opened):
    assert len({opened.tell(**{VIEW: view}).title for view in VIEWS}) == len(VIEWS)
