"""The reader's own texts: one browser session finds them by a number in the address, nobody else does."""

from __future__ import annotations

import pytest
import streamlit as st

from core.ui.address import READERS
from core.ui.own_texts import MOST_KEPT, number_of, remembered

LOST = "The address does not carry the text of the view it names: the first example is shown instead."


@pytest.fixture
def _state():
    st.session_state.clear()
    yield
    st.session_state.clear()


def arrive_again(page, address: dict[str, str]):
    """Arrive by an address in the same browser session, as Back does; AppTest runs app.py in its first run only."""
    parameters = {name: (value,) for name, value in address.items()}
    return page.tell(address_parameters=dict.fromkeys(READERS, parameters))


@pytest.mark.usefixtures("_state")
def test_the_same_texts_keep_their_number_and_others_get_another():
    first = number_of({"text": "a"})
    assert number_of({"text": "b"}) != first
    assert number_of({"text": "a"}) == first
    assert remembered(first) == {"text": "a"}


@pytest.mark.usefixtures("_state")
def test_only_the_latest_texts_are_kept():
    numbers = [number_of({"text": str(i)}) for i in range(MOST_KEPT)]
    number_of({"text": "0"})
    number_of({"text": "one more"})
    assert remembered(numbers[0]) == {"text": "0"}
    assert remembered(numbers[1]) is None


def test_an_address_brings_back_the_text_with_its_view(page):
    page.open().app.text_area(key="text").set_value("A secret sentence.").run()
    page.app.text_area(key="text_pair").set_value("A second one.").run()
    page.app.number_input(key="layer").set_value(5).run()
    address = page.tell(picked_query=2).address
    assert address["own"].isdigit()
    assert "secret" not in str(address)
    page.choose_example("Noun phrases")
    assert page.title == "Layer 2 · Head 8"
    arrive_again(page, address)
    assert page.title == "Layer 5 · Head 1"
    assert page.app.text_area(key="text").value == "A secret sentence."
    assert page.app.text_area(key="text_pair").value == "A second one."
    assert page.app.session_state.example is None
    assert page.address == address
    assert LOST not in page.sentences


def test_an_address_of_an_example_brings_it_back_alone(page):
    page.open().app.text_area(key="text_pair").set_value("A second one.").run()
    arrive_again(page, {})
    assert page.app.text_area(key="text_pair").value == ""
    assert page.app.session_state.example == "Pronoun"


@pytest.mark.parametrize("number", ["123", "", "<b>", "9" * 5000])
def test_another_session_gets_the_first_example_a_sentence_and_no_picks(page, number: str):
    page.open(own=number, layer="2", head="4", query="1", key="3", row="2", col="1")
    assert LOST in page.sentences
    assert page.app.session_state.example == "Pronoun"
    assert page.title == "Layer 2 · Head 4"
    assert not {"query", "key", "own"} & set(page.address)


def test_a_text_of_a_link_needs_no_number(page):
    page.open(text="My own words.")
    assert "own" not in page.address
    page.app.text_area(key="text").set_value("Other words.").run()
    assert "own" in page.address
