"""The page without a browser: it runs, keeps its state in the URL, and never shows a traceback."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file("../../app.py", default_timeout=60)


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


def test_a_number_beyond_all_numbers_gets_one_sentence(page: AppTest):
    page.query_params["layer"] = "9" * 5000
    page.run()
    assert not page.exception
    assert any("a layer beyond all numbers" in element.proto.body for element in page.get("html"))


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
