"""Models with a small alphabet: what the sidebar says and offers, and how the Training page's own ones open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.training.tasks import TASKS
from core.training.vocabulary import character_tokenizer
from core.ui.examples import EXAMPLES
from core.ui.own_models import is_gone
from core.ui.small_models import SmallModel, small_model
from tests.zoo.checkpoints import network_of

TRANSFORMER, RECURRENT = "TransformerForConditionalGeneration", "RecurrentForConditionalGeneration"
LAYERS = {"num_hidden_layers": 2, "num_decoder_layers": 2}


def trained(folder: Path, architecture: str, task: str = "reverse", **sizes: int) -> None:
    """A checkpoint as the Training page writes it, of random weights."""
    alphabet = TASKS[task].alphabet
    network_of(architecture, vocab_size=4 + len(alphabet), **sizes).save_pretrained(folder)
    character_tokenizer(alphabet).save_pretrained(folder)
    (folder / "training.json").write_text(json.dumps({"recipe": {"task": task}}), encoding="utf-8")


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return tmp_path


@pytest.fixture
def landed(page, tmp_path: Path):
    """Opens the page with an own model, as the Training page's button does."""

    def open_with(architecture: str, **sizes: int):
        trained(tmp_path / "own", architecture, **sizes)
        # The store of results outlives a test, and in one session no name is given twice.
        page.app.session_state["own_models"] = {tmp_path.name: tmp_path / "own"}
        return page.open(model=tmp_path.name, text="backgammon")

    return open_with


def test_alphabets_are_told_in_one_line():
    assert SmallModel("abcdefghijklmnopqr").reads == "Reads the letters a to r."
    assert SmallModel("0123456789").reads == "Reads the characters 0 to 9."
    assert SmallModel("+0123456789").reads == "Reads the characters + and 0 to 9."
    assert SmallModel(" abc").reads == "Reads the characters space and a to c."
    dates = SmallModel("".join(sorted(TASKS["dates"].alphabet))).reads
    assert dates.startswith("Reads only these 46 characters, and spaces: ,-./0123456789AD")
    shakespeare = SmallModel("\n ABCFMRSYabcdefhijklmnoprstuvwxyz.,'").reads
    assert shakespeare.startswith("Reads only these 35 characters, and newlines (⏎) and spaces: ABC")
    assert SmallModel("\nabc").reads == "Reads the characters newline (⏎) and a to c."
    assert SmallModel("\x01\xa0ab").reads == "Reads the characters U+0001, U+00A0, a and b."


def test_a_folder_tells_its_alphabet_and_its_task(roots):
    trained(roots / "small", RECURRENT, "sort")
    told = small_model("small")
    assert told is not None
    assert (told.alphabet, told.title, told.text) == ("abcdefghijklmnopqr", "Sort", TASKS["sort"].shown.source)
    for broken in ("{", "[]", '{"recipe": 3}', '{"recipe": {"task": ["sort"]}}'):
        trained(roots / "odd", RECURRENT)
        (roots / "odd" / "training.json").write_text(broken, encoding="utf-8")
        small_model.__globals__["_told"].cache_clear()
        assert small_model("odd") == SmallModel("abcdefghijklmnopqr")


def test_models_that_read_more_and_folders_elsewhere_tell_nothing(roots, byte_level):
    assert small_model("all-MiniLM-L6-v2") is None
    assert small_model("../elsewhere") is None
    (roots / "large").mkdir()
    (roots / "large" / "config.json").write_text("{}", encoding="utf-8")
    assert small_model("large") is None
    (roots / "large" / "tokenizer.json").write_text(byte_level.to_str(), encoding="utf-8")
    assert small_model("large") is None


def test_a_trained_transformer_opens_as_the_film_showed_it(landed):
    page = landed(TRANSFORMER, **LAYERS)
    assert page.title == "Layer 1 · mean over heads"
    wanted = {"stream": "cross", "layer": "1", "head": "mean", "scale": "linear"}
    assert page.address.items() >= wanted.items()
    assert any(sentence.startswith("In row “") for sentence in page.sentences)
    page.tell(mean=False, scale="log")
    assert (page.address["layer"], page.address["head"], page.address["scale"]) == ("1", "0", "log")


def test_a_model_that_was_brought_opens_like_any_other(page, tmp_path):
    trained(tmp_path / "own", TRANSFORMER, **LAYERS)
    page.app.session_state["own_models"] = {"mine (own)": tmp_path / "own"}
    page.open(model="mine (own)", text="abc")
    assert (page.title, page.address["scale"]) == ("Layer 0 · Head 0", "sqrt")


def test_one_head_has_neither_a_range_nor_a_mean(landed):
    page = landed(RECURRENT)
    assert page.title == "Layer 0 · Head 0"
    assert (page.address["head"], page.address["scale"]) == ("0", "linear")
    labels = {field.label: field.disabled for field in page.app.number_input}
    assert labels.items() >= {"Only layer": True, "Only head": True}.items()
    assert all(toggle.label != "Mean over heads" for toggle in page.app.toggle)
    page.tell(model="all-MiniLM-L6-v2", text=EXAMPLES[0].text)
    assert "Head (0–11)" in {field.label for field in page.app.number_input}


def test_an_address_that_names_a_head_opens_that(page, tmp_path):
    trained(tmp_path / "own", TRANSFORMER, **LAYERS)
    page.app.session_state["own_models"] = {"mine": tmp_path / "own"}
    page.open(model="mine", text="abc", layer="0", head="2", scale="sqrt")
    assert page.title == "Layer 0 · Head 2"
    assert page.address["scale"] == "sqrt"


def test_its_own_example_stands_in_the_place_of_those_in_english(page, landed, tmp_path):
    landed(RECURRENT)
    assert "Reads the letters a to r." in page.html
    assert all(group.label != "Examples" for group in page.app.button_group)
    page.tell(text="abc")
    page.app.button(key="own_example").click()
    assert page.run().app.text_area(key="text").value == "backgammon"
    page.tell(talk=True)
    page.app.button(key="example_own")
    page.tell(talk=False, model="all-MiniLM-L6-v2", text=EXAMPLES[1].text)
    assert any(group.label == "Examples" for group in page.app.button_group)
    page.tell(model=tmp_path.name)
    assert page.app.text_area(key="text").value == "backgammon"


def test_a_trained_model_of_another_session_is_said_to_be_gone(page):
    page.open(model="sort-additive-1", text="abc", stream="cross", layer="7", head="mean", scale="linear")
    elsewhere = "another browser session, that of another tab or of this one before a reload, and is not here"
    gone = f"sort-additive-1 was trained in {elsewhere}: train it again, or open its download"
    assert [sentence for sentence in page.sentences if "sort-additive-1" in sentence] == [
        f"{gone}; all-MiniLM-L6-v2 is used."
    ]
    assert not any("stream" in sentence or "layer 7" in sentence for sentence in page.sentences)
    assert (page.title, page.address["scale"]) == ("Layer 0 · Head 0", "linear")


def test_only_names_of_the_training_page_are_taken_for_trained_models():
    assert is_gone("reverse-transformer-12 (2)")
    assert not any(is_gone(name) for name in ("reverse", "reverse-bert-1", "my-sort-additive-1", "sort-additive-"))
