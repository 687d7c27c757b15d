"""Texts in links: taken, kept while unchanged, and refused when too long."""

from __future__ import annotations

import json

import pytest


def copied(page) -> dict:
    """What the Export menus are told to copy."""
    return json.loads(page.component("selection").json)["link"]


def test_a_text_of_a_link_is_read_and_stays_while_it_is_unchanged(page):
    page.open(text="My own words.", layer="1", head="2")
    assert page.app.text_area(key="text").value == "My own words."
    assert page.address["text"] == "My own words."
    page.app.number_input(key="layer").set_value(3).run()
    assert page.address["text"] == "My own words."
    page.app.text_area(key="text").set_value("Other words.").run()
    assert "text" not in page.address
    page.app.text_area(key="text").set_value("My own words.").run()
    assert page.address["text"] == "My own words."


def test_copy_link_carries_a_text_of_the_readers_own(page):
    page.open().app.text_area(key="text").set_value("A secret sentence.").run()
    assert "secret" not in str(page.address)
    bare = {name: value for name, value in page.address.items() if name != "own"}
    assert copied(page)["parameters"] == {**bare, "text": "A secret sentence."}
    assert copied(page)["note"] == "It carries your text."


def test_copy_link_of_an_example_carries_its_name_only(page):
    assert copied(page.open())["parameters"]["example"] == "pronoun"
    assert "text" not in copied(page)["parameters"]
    assert copied(page)["note"] == ""


def test_a_text_beyond_two_thousand_characters_is_left_out_and_that_is_said(page):
    page.open().app.text_area(key="text").set_value("word " * 401).run()
    data = copied(page.tell(picked_query=3, picked_key=4))
    assert page.address["query"] == "3"
    assert not {"text", "own", "query", "key"} & set(data["parameters"])
    assert data["note"] == (
        "The text has 2,005 characters; a link carries up to 2,000, so this one opens the same view without it."
    )


def test_two_texts_come_back_from_their_link(page):
    page.open(text="A cat.", text_pair="A dog.")
    assert page.app.text_area(key="text_pair").value == "A dog."
    assert copied(page)["parameters"]["text_pair"] == "A dog."
    assert copied(page)["note"] == "It carries your texts."


@pytest.mark.parametrize(
    ("text", "part"), [("x" * 2001, "2,001 characters"), ("", "nothing to read"), ("\x00 \n", "nothing")]
)
def test_a_text_that_a_link_may_not_bring_is_refused_with_a_sentence(page, text: str, part: str):
    page.open(text=text)
    assert page.app.session_state.example == "Pronoun"
    assert any(part in sentence for sentence in page.sentences)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "**a** $x$ :smile:", "猫 🐱 شكرا", "&lt;b&gt; %00 {{7*7}}"]
)
def test_a_hostile_text_of_a_link_is_only_a_text(page, text: str):
    page.open(text=text)
    assert page.app.text_area(key="text").value == text
    assert page.address["text"] == text
