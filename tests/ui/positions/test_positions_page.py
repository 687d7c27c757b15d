"""The Positions page without a browser: its views run, say what cannot be had, and never show a traceback."""

from __future__ import annotations

import json

import pytest

from core.positions import SCHEMES
from core.ui.positions.offered import VIEWS
from core.ui.positions.state import (
    CHOSEN,
    DIMS,
    HEAD,
    MODEL,
    ORDER,
    OTHER,
    OTHER_HEAD,
    ROWS,
    SCHEME,
    SOURCE,
    TEXT,
    VIEW,
    key_of,
)


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


def test_a_model_shows_as_many_positions_as_are_asked_for(opened):
    opened.tell(**{VIEW: "scheme", SOURCE: "model", ROWS: 40})
    assert "positions 40 of 512" in opened.html
    assert "40 positions, centred" in opened.html
    assert opened.address["rows"] == "40"
    opened.tell(**{ROWS: None})


def test_dimensions_are_chosen_and_one_that_is_not_there_gets_a_sentence(opened):
    opened.tell(**{VIEW: "scheme", SOURCE: "formula", SCHEME: "sinusoidal", DIMS: (1, 5)})
    assert "dimensions 1 (cosine), 5 (cosine) of 64" in opened.html
    assert opened.address["dims"] == "1,5"
    opened.tell(**{DIMS: (1, 64)})
    assert "no dimension 64" in opened.sentences[-1]
    assert "dimensions 0 (sine), 6 (sine), 20 (sine), 38 (sine), 62 (sine) of 64" in opened.html
    opened.tell(**{DIMS: None})


def test_wavelengths_of_a_twin_are_beside_the_length_that_it_was_trained_at(opened):
    opened.tell(**{VIEW: "scheme", SOURCE: "model", MODEL: "lm-sinusoidal", CHOSEN: True})
    assert "texts of up to 64 tokens, though its config allows 512" in opened.html
    assert "in 64 positions of training" in opened.html
    opened.tell(**{MODEL: "lm-none"})
    assert opened.app.button(key="positions_way_none").label.startswith("Move words")


def test_a_scheme_without_a_number_leads_to_a_model_that_has_one(opened):
    opened.tell(**{VIEW: "pair", SOURCE: "formula", SCHEME: "relative", OTHER: "alibi"})
    assert opened.sentences[-1].startswith("These biases are learned")
    opened.app.button(key="positions_way_left").click()
    opened.run()
    assert opened.address["model"] == "lm-relative"
    assert len(specs(opened)) == 2
    opened.tell(**{SOURCE: "formula", SCHEME: "alibi", OTHER: "model", HEAD: 1, OTHER_HEAD: 3})
    assert len(specs(opened)) == 2
    assert "e to what head 1 adds" in opened.html
    assert "e to what head 3 adds" in opened.html
    opened.tell(**{SCHEME: "shaw", OTHER: "sinusoidal"})
    opened.app.button(key="positions_way_left").click()
    opened.run()
    assert opened.title.startswith("Relative vectors")


def test_two_sides_that_are_the_same_get_a_sentence(opened):
    opened.tell(**{VIEW: "pair", SOURCE: "formula", SCHEME: "alibi", OTHER: "alibi"})
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
