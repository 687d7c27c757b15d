"""The page without a browser: it runs, keeps its state in the URL, and never shows a traceback."""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file("../../app.py", default_timeout=60)


def sentences(page: AppTest) -> list[str]:
    """The boxes above the figures, in their order."""
    bodies = "".join(element.proto.body for element in page.get("html"))
    return [unescape(body) for body in re.findall(r'<div class="headlight-note [^>]*>(.*?)</div>', bodies)]


def test_the_page_runs_and_opens_the_first_example(page: AppTest):
    page.run()
    assert not page.exception
    assert page.subheader[0].value == "Layer 3 · Head 1"


def test_layer_head_and_scale_come_from_the_url(page: AppTest):
    page.query_params["layer"] = "5"
    page.query_params["head"] = "0"
    page.query_params["scale"] = "log"
    page.run()
    assert page.subheader[0].value == "Layer 5 · Head 0"
    assert page.number_input(key="layer").value == 5
    assert page.session_state.scale == "log"


@pytest.mark.parametrize(("layer", "head"), [("-1", "3"), ("1e9", "2"), ("²", ""), ("99", "0x3")])
def test_a_nonsense_link_opens_number_zero(page: AppTest, layer: str, head: str):
    page.query_params["layer"] = layer
    page.query_params["head"] = head
    page.run()
    assert not page.exception
    assert page.number_input(key="layer").value == 0


def test_a_number_beyond_all_numbers_is_cut_in_its_sentence(page: AppTest):
    page.query_params["layer"] = "9" * 5000
    page.run()
    assert not page.exception
    expected = f"There is no layer {'9' * 20} in this model, which has 0 to 5: layer 0 is shown."
    assert expected in sentences(page)


def test_every_example_opens_on_its_own_head(page: AppTest):
    page.run()
    page.button_group(key="example").set_value("Noun phrases").run()
    assert page.text_area(key="text").value.startswith("The tired old dog")
    assert page.subheader[0].value == "Layer 2 · Head 8"
    page.text_area(key="text").set_value("My own text.").run()
    assert page.session_state.example is None


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_to_read_is_no_error_of_ours(page: AppTest, text: str):
    page.run()
    page.text_area(key="text").set_value(text).run()
    assert not page.exception
    assert not page.subheader


def test_a_first_visit_leaves_the_address_empty_and_any_change_fills_it(page: AppTest):
    page.run()
    assert dict(page.query_params) == {}
    page.number_input(key="layer").set_value(2).run()
    assert dict(page.query_params) == {
        "model": "all-MiniLM-L6-v2",
        "dtype": "float32",
        "example": "pronoun",
        "layer": "2",
        "head": "1",
        "scale": "sqrt",
    }


def test_a_text_of_the_readers_own_never_enters_the_address(page: AppTest):
    page.run()
    page.text_area(key="text").set_value("A secret sentence.").run()
    assert "example" not in page.query_params
    assert "secret" not in str(dict(page.query_params))


def test_an_address_without_text_says_that_an_example_is_shown(page: AppTest):
    page.query_params["layer"] = "2"
    page.query_params["head"] = "4"
    page.run()
    assert "The address does not carry the text of the view it names: the first example is shown instead." in sentences(
        page
    )


def test_an_address_with_an_example_opens_it_on_its_own_head(page: AppTest):
    page.query_params["example"] = "noun-phrases"
    page.run()
    assert page.subheader[0].value == "Layer 2 · Head 8"
    hint = "Look at the rows of “old”, “a” and “small”: each puts its largest weight on the noun that it belongs to."
    assert hint in sentences(page)


def test_unknown_models_and_precisions_of_an_address_are_named(page: AppTest):
    page.query_params["model"] = "gpt-17"
    page.query_params["dtype"] = "int3"
    page.run()
    assert {
        "There is no model gpt-17 here: all-MiniLM-L6-v2 is used.",
        "There is no precision int3 here: float32 is used.",
    } <= set(sentences(page))
