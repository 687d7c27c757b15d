"""A page that its tab opens for the first time shows the model that was looked at last; others stay as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ui.following import NO_TRANSLATOR
from core.ui.own_models import why_gone
from core.ui.positions.state import MODEL as POSITIONS_MODEL
from core.ui.positions.state import VIEW
from core.ui.saliency.state import BY, MODEL, TEXT
from tests.zoo.checkpoints import saved

POOLED, POOLING = "pooled (own)", "PoolingForSequenceClassification"
TRANSLATOR, TRANSLATING = "translating (own)", "TransformerForConditionalGeneration"


@pytest.fixture
def with_own(page, tmp_path: Path):
    """The Attention page with one of two own models."""
    saved(tmp_path / "pooled", POOLING)
    saved(tmp_path / "translating", TRANSLATING, num_hidden_layers=2, num_decoder_layers=2)
    folders = {POOLED: tmp_path / "pooled", TRANSLATOR: tmp_path / "translating"}
    page.app.session_state["own_models"] = folders
    page.app.session_state["first_texts"] = dict.fromkeys(folders, "abc")
    return page


def tab(page, name: str):
    """Click a page's tab, which brings no parameters."""
    page.app.switch_page(f"pages/{name}.py")
    page.app.query_params.clear()
    return page.run()


def test_tabs_open_the_model_at_hand_and_later_keep_their_own(with_own):
    page = tab(with_own.open(model=POOLED, text="abc cab"), "saliency")
    assert page.app.selectbox(key=MODEL).value == POOLED
    assert page.address == {"model": POOLED, "own": page.address["own"]}
    tab(page.tell(**{MODEL: "lm-english"}), "positions")
    assert (page.app.session_state[VIEW], page.address["model"]) == ("model", "lm-english")
    tab(page.tell(**{POSITIONS_MODEL: POOLED}), "saliency")
    assert page.app.selectbox(key=MODEL).value == "lm-english"


def test_an_encoder_decoder_at_hand_is_aligned(with_own):
    page = tab(with_own.open(model=TRANSLATOR, text="abc"), "alignment")
    assert page.address.items() >= {"direction": "other", "models": TRANSLATOR}.items()


def test_the_alignment_page_says_why_it_shows_others(with_own):
    page = tab(with_own.open(model=POOLED, text="abc"), "alignment")
    assert NO_TRANSLATOR.format(POOLED) in page.sentences
    assert page.address == {}
    tab(page, "attention")
    assert NO_TRANSLATOR.format(POOLED) not in tab(page, "alignment").sentences


def test_the_first_model_of_a_page_is_nothing_that_another_one_follows(page):
    assert tab(page.open(), "saliency").app.selectbox(key=MODEL).value == "sentiment-minilm-lora"
    assert page.address == {}


def test_fewer_than_three_words_are_scored_by_tokens_until_somebody_chooses(page):
    page.app.switch_page("pages/saliency.py")
    page.open(model="sentiment-minilm-lora", text="Unwatchably overlong", methods="attention")
    assert page.app.session_state[BY] == "token"
    assert "by" not in page.address
    next(group for group in page.app.button_group if group.label == "Scores for").set_value("word")
    assert page.run().address["by"] == "word"


def test_a_text_of_three_words_after_a_shorter_one_is_scored_by_words_again(page):
    page.app.switch_page("pages/saliency.py")
    page.open(model="sentiment-minilm-lora", text="Unwatchably", methods="attention")
    page.tell(**{TEXT: "A dull film"})
    assert page.app.session_state[BY] == "word"


def test_a_method_that_is_chosen_at_first_and_has_no_row_says_why(page):
    page.app.switch_page("pages/saliency.py")
    page.open(model="sentiment-minilm-lora")
    assert "Contribution of states: sentiment-minilm-lora does not sum up states by one attention" in page.html


def test_a_model_of_another_session_is_not_called_gone_and_the_way_to_its_page_is_there(page):
    page.open(model=POOLED)
    assert f"{why_gone(POOLED)}; all-MiniLM-L6-v2 is used." in page.sentences
    assert "gone" not in str(why_gone(POOLED))
    assert "Models page" in {link.proto.label for link in page.app.get("page_link")}
