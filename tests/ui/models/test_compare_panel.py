"""Base against fine-tuned: the likeliest base first, the layers that moved most, and refusals in a sentence."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.models.moved import LayerMove, Moved
from core.ui.models.comparing.moved_words import moved_words, percent, place_words
from tests.zoo.checkpoints import saved

LM = "TransformerForCausalLM"


def draw(name, own):
    """A script that keeps own models and draws the panel for one of them."""
    import streamlit as st

    from core.ui.models.comparing.compare_panel import compare_panel

    st.session_state["own_models"] = own
    compare_panel(name)


@pytest.fixture
def own(tmp_path: Path) -> dict[str, Path]:
    """Own models: two of one architecture and size, and one of another."""
    for name, architecture in (("other", "RecurrentForConditionalGeneration"), ("base", LM), ("tuned", LM)):
        saved(tmp_path / name, architecture)
    return {name: tmp_path / name for name in ("other", "base", "tuned")}


def drawn(name: str, own: dict[str, Path], base: str = "") -> AppTest:
    """The panel, with its comparison where a base is given."""
    app = AppTest.from_function(draw, args=(name, own), default_timeout=120).run()
    if base:
        app.selectbox[0].set_value(base).run()
        app.button(key="compare_run").click().run()
    assert not app.exception, app.exception
    return app


def html_of(app: AppTest) -> str:
    return "".join(element.proto.body for element in app.get("html"))


def test_a_model_with_the_same_tensors_comes_first(own: dict[str, Path]):
    app = drawn("tuned", own)
    assert app.selectbox[0].value == "base"
    assert "share all of their tensors" in html_of(app)
    assert "other" in app.selectbox[0].options


def test_the_layers_that_an_adapter_moved_are_named_with_how_far_and_drawn():
    app = drawn("sentiment-minilm-lora", {}, "all-MiniLM-L6-v2")
    html = html_of(app)
    assert app.selectbox[0].options[0] == "all-MiniLM-L6-v2"
    assert "Layer 5, attention value moved most, by 19.8 % of its size; 12 of 39 parts moved at all." in html
    assert "<bdi>Layer 5, attention query</bdi>" in html
    assert any(element.value == "**Layers whose weights moved most**" for element in app.markdown)
    assert "all-MiniLM-L6-v2 → sentiment-minilm-lora" in html


def test_networks_of_two_families_are_refused():
    html = html_of(drawn("lm-none", {}, "en-fr-gru-bahdanau"))
    assert "Its files share" in html
    assert "so these two are no base and its fine-tuned model" in html


def test_equal_networks_say_so():
    equal = Moved((LayerMove(0, "", "norm", 0.0, 1.0, 0.0, 4),), (), (), (), same=True)
    assert moved_words(equal, "base", "twin")[0].startswith("All weights that base and twin have in common are equal")


def test_a_trained_head_is_said_to_be_in_one_of_them_alone():
    equal = Moved((LayerMove(0, "", "norm", 0.0, 1.0, 0.0, 4),), (), ("head.bias", "head.weight"), (), same=True)
    words = moved_words(equal, "base", "tuned")[0]
    assert words.endswith("What else there is cannot be compared: head.bias (with 1 more) is in tuned alone.")


def test_an_adapter_is_compared_with_the_base_in_its_own_folder_first(own: dict[str, Path], tmp_path: Path):
    (tmp_path / "lora" / "base").mkdir(parents=True)
    for file in own["base"].iterdir():
        (tmp_path / "lora" / "base" / file.name).write_bytes(file.read_bytes())
    assert drawn("lora", {**own, "lora": tmp_path / "lora"}).selectbox[0].value == "lora, its base"


def test_parts_and_moves_in_words():
    move = LayerMove(3, "encoder", "attention query", 0.0123, 0.9, 0.1, 10)
    assert place_words(move) == "Encoder layer 3, attention query"
    assert place_words(LayerMove(None, "", "embedding", 0, 1, 0, 1)) == "Embedding"
    assert [percent(value) for value in (0.0123, math.inf, math.nan)] == ["1.23 %", "∞", "no number"]
