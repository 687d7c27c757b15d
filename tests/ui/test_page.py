"""The page without a browser: it runs, keeps its state in the address, and never shows a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.ui.picks import WORDS
from core.ui.resources import results
from core.ui.view_switch import VIEWS

ROOT = Path(__file__).parents[2]
FIGURES_OF = {
    "together": ["overview", "heatmap", "headview"],
    "heatmap": ["overview", "heatmap"],
    "headview": ["overview", "headview"],
    "text": ["overview", "text"],
    "querykey": ["overview", "querykey"],
    "overview": ["overview"],
    "headmap": ["overview"],
}
FIRST = {
    "model": "all-MiniLM-L6-v2",
    "dtype": "float32",
    "example": "pronoun",
    "layer": "3",
    "head": "1",
    "scale": "sqrt",
    "query": "10",
}


def selected(page) -> dict:
    """What the figures in the browser are told to follow."""
    return json.loads(page.component("selection").json)


def test_the_page_runs_and_opens_the_first_example_with_its_row_marked(page):
    page.open()
    assert page.title == "Layer 3 · Head 1"
    assert selected(page)["query"] == 10


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_shows_its_figures(page, view: str):
    page.open(view=view)
    assert page.app.session_state.view == view
    assert [name for name in page.drawn if name not in ("selection", "exporter")] == FIGURES_OF[view]
    assert page.address.get("view", "together") == view
    assert ("plotly_chart" in {element.type for element in page.app.main}) == (view == "headmap")


def test_the_selection_comes_before_the_figures(page):
    assert page.open().drawn[0] == "selection"


def test_layer_head_and_scale_come_from_the_address(page):
    page.open(layer="5", head="0", scale="log", span="row", words="1", special="renormalise")
    assert page.title == "Layer 5 · Head 0"
    assert page.app.number_input(key="layer").value == 5
    assert page.app.session_state.scale == "log"
    assert {"span": "row", "words": "1", "special": "renormalise"}.items() <= page.address.items()


def test_the_mean_over_heads_comes_from_the_address_and_goes_back_into_it(page):
    page.open(layer="2", head="mean")
    assert page.title == "Layer 2 · mean over heads"
    assert page.address["head"] == "mean"
    assert selected(page)["head"] is None
    assert selected(page)["shown"] == list(range(12))
    page.app.toggle(key="mean").set_value(False).run()
    assert page.title == "Layer 2 · Head 1"


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_each_view_stands_under_filters_and_as_a_mean(page, view: str, special: str):
    page.open(view=view, layer="2", head="mean", words="1", special=special, span="all", query="3", key="5")
    assert page.address["special"] == special


def test_picks_and_lines_come_from_the_address_and_stay_there(page):
    asked = {
        "query": "3",
        "key": "5",
        "heads": "0,4",
        "top": "3",
        "above": "0.1",
        "direction": "from",
        "order": "weight",
    }
    page.open(layer="2", head="4", **asked)
    assert asked.items() <= page.address.items()
    followed = {"query": 3, "key": 5, "shown": [0, 4], "top_k": 3, "threshold": 0.1, "direction": "from"}
    assert followed.items() <= selected(page).items()


def test_another_text_lets_go_of_what_was_picked(page):
    page.open(layer="2", head="4", query="3", key="5")
    page.app.text_area(key="text").set_value("A cat.").run()
    assert "query" not in page.address
    assert not any("There is no" in sentence for sentence in page.sentences)


def test_a_pick_beyond_the_text_is_said(page):
    page.open(layer="2", head="4", query="99", key="<b>")
    assert "There is no query “99” in this text, which has tokens 0 to 15: none is picked." in page.sentences
    assert "There is no key “<b>” in this text, which has tokens 0 to 15: none is picked." in page.sentences


@pytest.mark.parametrize(("layer", "head"), [("-1", "3"), ("1e9", "2"), ("²", ""), ("99", "0x3"), ("inf", "nan")])
def test_a_nonsense_link_opens_number_zero(page, layer: str, head: str):
    page.open(layer=layer, head=head)
    assert page.app.number_input(key="layer").value == 0


@pytest.mark.parametrize(
    "name",
    ["model", "dtype", "example", "view", "stream", "scale", "span", "words", "special", "query", "key", "heads", "top",
     "above", "direction", "order", "generate", "decoding", "seed", "temperature", "beams", "talk", "row", "col"],
)  # fmt: skip
def test_every_parameter_falls_back_with_a_sentence(page, name: str):
    page.open(**{name: "<img src=x>"})
    assert any("<img src=x>" in sentence for sentence in page.sentences)
    assert "<img" not in page.html
    assert page.title.startswith("Layer ")


def test_a_repeated_parameter_is_said(page):
    page.open(layer=["1", "2"])
    assert page.title == "Layer 2 · Head 1"
    assert "The address gives layer 2 times: the last one counts." in page.sentences


def test_a_number_beyond_all_numbers_is_cut_in_its_sentence(page):
    page.open(layer="9" * 5000)
    expected = f"There is no layer {'9' * 20} in this model, which has 0 to 5: layer 0 is shown."
    assert expected in page.sentences


def test_every_example_opens_on_its_own_head(page):
    page.open().choose_example("Noun phrases")
    assert page.app.text_area(key="text").value.startswith("The tired old dog")
    assert page.title == "Layer 2 · Head 8"
    page.app.text_area(key="text").set_value("My own text.").run()
    assert page.app.session_state.example is None


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "a" * 200_001])
def test_nothing_to_read_gets_one_sentence_and_the_controls_stay(page, text: str):
    page.open().app.text_area(key="text").set_value(text).run()
    assert not page.app.exception
    assert not page.app.subheader
    assert len(page.sentences) == 1
    assert page.app.number_input(key="layer").value == 3
    assert page.app.session_state.view == "together"
    page.app.text_area(key="text").set_value("A cat.").run()
    assert page.title == "Layer 3 · Head 1"


def test_a_first_visit_leaves_the_address_empty_and_any_change_fills_it(page):
    page.open()
    assert page.address == {}
    page.app.number_input(key="layer").set_value(2).run()
    assert page.address == {**FIRST, "layer": "2"}


def test_a_text_of_the_readers_own_never_enters_the_address(page):
    page.open().app.text_area(key="text").set_value("A secret sentence.").run()
    assert "example" not in page.address
    assert "secret" not in str(page.address)


def test_the_measures_need_no_help_in_talk_mode_and_no_line_on_where_numbers_come_from(page):
    assert "provenance" in page.open().html
    page.app.button(key="talk_button").click().run()
    assert 'class="headlight-small provenance"' not in page.html


def test_queries_and_keys_have_no_mean_and_open_a_head_instead(page):
    page.open(view="querykey", example="pronoun", layer="2", head="mean")
    assert "querykey" not in page.drawn
    page.app.button(key="open_head_0").click().run()
    assert page.title == "Layer 2 · Head 0"
    assert "querykey" in page.drawn


def test_queries_and_keys_say_that_they_are_of_single_tokens_under_filters(page):
    sentence = "This view always shows single tokens, special ones included."
    page.open(view="querykey", example="pronoun", words="1")
    assert sentence in page.sentences
    page.app.toggle(key=WORDS).set_value(False).run()
    assert sentence not in page.sentences


def test_an_address_without_text_says_that_an_example_is_shown(page):
    page.open(layer="2", head="4")
    assert (
        "The address does not carry the text of the view it names: the first example is shown instead."
        in page.sentences
    )


def test_an_address_with_an_example_opens_it_on_its_own_head(page):
    page.open(example="noun-phrases")
    assert page.title == "Layer 2 · Head 8"
    hint = "“old”, “a” and “small” each give their largest weight to the noun that they belong to."
    assert hint in page.sentences


def test_unknown_models_and_precisions_of_an_address_are_named(page):
    page.open(model="gpt-17", dtype="int3")
    assert {
        "There is no model gpt-17 here: all-MiniLM-L6-v2 is used.",
        "There is no precision int3 here: float32 is used.",
    } <= set(page.sentences)


def test_two_texts_are_read_as_a_pair(page):
    page.open().app.text_area(key="text_pair").set_value("A dog ran.").run()
    assert not page.app.exception
    assert page.app.session_state.text_pair == "A dog ran."
    assert "21 tokens" in page.html


def test_the_measures_stand_beside_uniform_attention(page):
    page.open()
    for name in ("Entropy", "Mean distance", "On the first token", "On the previous token", "On special tokens"):
        assert f">{name}</span>" in page.html


def test_talk_mode_comes_from_the_address_and_has_a_button(page):
    page.open(talk="1")
    assert page.app.button(key="example_1").label == "Pronoun"
    assert page.address == {**FIRST, "talk": "1"}
    page.app.button(key="example_2").click().run()
    assert page.title == "Layer 2 · Head 8"
    page.app.button(key="talk_button").click().run()
    assert "talk" not in page.address


def test_a_head_switch_and_a_filter_run_nothing_again(page):
    page.open().app.toggle(key=WORDS).set_value(True).run()
    kept = results().keys()
    page.app.number_input(key="layer").set_value(1).run()
    page.app.segmented_control(key="scale").set_value("log").run()
    assert page.title == "Layer 1 · Head 1"
    assert sorted(map(hash, results().keys())) == sorted(map(hash, kept))


def test_what_the_app_imports_before_its_first_bar_is_light():
    code = "import sys, core.ui.address, core.ui.frame, core.ui.starting; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
