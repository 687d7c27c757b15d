"""Texts that a model can read: what somebody tried, an example, or its own tokens; and what is said once it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st

from core.models.loading import load
from core.models.model import Model
from core.models.tokenizing import Characters, Specials, write_tokenizer
from core.saliency import METHODS
from core.ui import first_texts
from core.ui.alignment import wish as alignment
from core.ui.arrival import Arrival
from core.ui.example_choice import fit_example
from core.ui.examples import EXAMPLES
from core.ui.positions import arriving as positions
from core.ui.positions.model_panel import text_words
from core.ui.positions.offered import first_text as first_of_positions
from core.ui.positions.wish import wish_of_state
from core.ui.saliency import wish as saliency
from core.ui.saliency.offered import first_text as first_of_saliency
from tests.zoo.checkpoints import saved

ELSEWHERE = "another browser session, that of another tab or of this one before a reload, and is not here"
GONE = f"mine (own) was opened in {ELSEWHERE}: bring its files again on the Models page"
CHINESE = "我不知道他为什么没有来。"


@pytest.fixture(autouse=True)
def nothing_kept():
    st.session_state.clear()
    yield
    st.session_state.clear()


def arrival(**parameters: str) -> Arrival:
    return Arrival({name: (value,) for name, value in parameters.items()})


def test_a_model_that_knows_the_first_example_needs_no_text_of_its_own(minilm):
    assert first_texts.readable(minilm) == ""
    assert first_texts.readable(minilm, "  ") == ""
    assert first_texts.readable(minilm, "CC(=O)O") == "CC(=O)O"


def brought(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """A small model that reads these characters, one a token."""
    saved(folder, "TransformerForCausalLM", vocab_size=len(vocabulary))
    write_tokenizer(Characters(vocabulary, Specials(unknown="<unk>")), folder)
    return load(str(folder))


def test_a_model_of_chinese_opens_with_chinese(tmp_path: Path):
    letters = tuple(dict.fromkeys(CHINESE))
    assert first_texts.readable(brought(tmp_path / "mine", ("<unk>", *letters))) == CHINESE


def test_a_model_of_neither_opens_with_tokens_of_its_own(tmp_path: Path):
    assert first_texts.readable(brought(tmp_path / "mine", ("<unk>", *"LAGVSERTIDPKQN"))) == "LAGVSERTIDPKQN"


def test_every_page_opens_with_the_text_that_was_kept():
    first_texts.keep("mine", CHINESE)
    assert first_of_saliency("mine") == first_of_positions("mine", "model") == CHINESE
    assert alignment.first_text("other", ["mine"]) == CHINESE
    assert alignment.first_text("other", ["another"]).startswith("The black cat")
    st.session_state.text = EXAMPLES[0].text
    fit_example("mine")
    assert st.session_state.text == CHINESE
    st.session_state.text = "my own words"
    fit_example("another")
    fit_example("mine")
    assert st.session_state.text == "my own words"
    first_texts.keep("mine", "")
    assert first_of_saliency("mine") == EXAMPLES[0].text


def test_of_a_model_that_is_gone_one_sentence_tells_on_every_page():
    asked = arrival(model="mine (own)", example="pronoun", own="7")
    saliency.arrive(asked, tuple(METHODS))
    assert [sentence.partition(";")[0] for sentence in asked.remarks] == [GONE]
    asked = arrival(model="mine (own)", view="model", example="pronouns", own="7")
    positions.arrive(asked)
    assert [sentence.partition(";")[0] for sentence in asked.remarks] == [GONE]
    asked = arrival(direction="other", models="mine (own)", example="none", own="7")
    alignment.arrive(asked)
    assert asked.remarks == [f"{GONE}."]


def test_a_models_first_text_is_not_called_ones_own():
    first_texts.keep("lm-english", "abc")
    for text, words in (("abc", "the model's first text"), ("a secret", "a text of one's own")):
        positions.arrive(arrival(view="model", model="lm-english", text=text))
        assert text_words(wish_of_state()) == words
