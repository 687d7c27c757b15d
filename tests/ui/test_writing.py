"""What a model is made to write: asked for by controls or an address, in the model's own words."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core.models.generation import KINDS as MODELS_KINDS
from core.ui.writing import KINDS, NOTHING, Writing
from tests.tiny import save_model


@pytest.fixture(autouse=True, scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, byte_level) -> Path:
    """A folder with a decoder and an encoder-decoder."""
    root = tmp_path_factory.mktemp("models")
    save_model(root / "writer", "gpt2", AutoModelForCausalLM, byte_level)
    save_model(root / "translator", "bart", AutoModelForSeq2SeqLM, byte_level)
    return root


@pytest.fixture(autouse=True)
def _roots(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_MODELS", str(models))


def written(page) -> str:
    """What the model wrote, as the page shows it."""
    return page.html.partition('class="headlight-written"')[2].partition("</p>")[0]


def test_every_kind_of_decoding_has_a_name():
    assert tuple(KINDS) == tuple(MODELS_KINDS)


def test_nothing_to_write_leaves_the_address_alone():
    assert NOTHING.address == {}
    assert Writing(generate=3, kind="beam", beams=4).address == {"generate": "3", "decoding": "beam"}


def test_a_sampled_text_comes_back_from_its_address(page):
    asked = {"generate": "5", "decoding": "sampled", "seed": "7", "temperature": "0.5"}
    page.open(model="writer", **asked)
    assert asked.items() <= page.address.items()
    text = written(page)
    page.app.number_input(key="seed").set_value(8).run()
    assert page.address["seed"] == "8"
    page.app.number_input(key="seed").set_value(7).run()
    assert written(page) == text


def test_beams_come_back_from_their_address(page):
    page.open(model="writer", generate="4", decoding="beam", beams="3")
    assert {"decoding": "beam", "beams": "3"}.items() <= page.address.items()


def test_a_second_text_is_offered_only_to_models_that_write_nothing(page):
    page.open(model="writer")
    assert "text_pair" not in {area.key for area in page.app.text_area}
    page.app.selectbox(key="model").set_value("all-MiniLM-L6-v2").run()
    assert "text_pair" in {area.key for area in page.app.text_area}


def test_an_encoder_decoder_has_a_menu_of_streams_that_the_address_keeps(page):
    page.open(model="translator", stream="encoder", text="the cat sat", target="a dog ran")
    assert page.app.selectbox(key="stream").value == "encoder"
    assert {"stream": "encoder", "target": "a dog ran"}.items() <= page.address.items()
    page.app.selectbox(key="stream").set_value("cross").run()
    assert page.address["stream"] == "cross"
    page.app.text_area(key="target").set_value("a dog").run()
    assert "target" not in page.address


def test_a_stream_that_a_model_lacks_is_said(page):
    page.open(model="translator", stream="self", target="a")
    assert "There is no self stream in this model: cross-attention is shown." in page.sentences


def test_a_model_without_special_tokens_says_so_where_they_would_be_hidden(page):
    page.open(model="writer", special="hide")
    control = page.app.button_group(key="special_tokens")
    assert control.disabled
    assert control.help == "This model puts no special tokens around the text."
    assert "special" not in page.address


def test_what_a_model_wrote_is_told_first_and_said_to_be_cut_where_its_limit_ended_it(page):
    page.open(model="writer", text="the cat sat", generate="3")
    told = [sentence for sentence in page.sentences if sentence.startswith("It wrote")]
    assert len(told) == 1
    assert told[0].endswith("Its limit of tokens ended the text.")
    assert "the likeliest tokens after the last token that was read, the written ones included" in page.html
    page.app.number_input(key="generate").set_value(0).run()
    assert not any(sentence.startswith("It wrote") for sentence in page.sentences)
    assert "the written ones" not in page.html


def test_a_target_says_that_nothing_is_written(page):
    page.open(model="translator", text="the cat sat", target="a dog ran", generate="3")
    assert "The model reads this as its answer and writes nothing" in page.html
    page.app.text_area(key="target").set_value("").run()
    assert "writes nothing" not in page.html
    assert page.address["generate"] == "3"
