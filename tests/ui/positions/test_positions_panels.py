"""What the views of the Positions page say of what was read, moved, cut off or is not there."""

from __future__ import annotations

import re

import pytest
import torch
from transformers import AutoModel

from core.positions import SCHEMES
from core.positions.facts import Fact
from core.positions.settings import Settings
from core.ui.positions.fields import FIRST
from core.ui.positions.model_panel import curves_of
from core.ui.positions.order_words import HAS_NONE, ROBBED, UNMOVED
from core.ui.positions.state import (
    CHOSEN,
    FACT,
    HEAD,
    LAYER,
    MODEL,
    ORDER,
    OTHER,
    ROWS,
    SCHEME,
    SOURCE,
    STREAM,
    TEXT,
    VIEW,
    key_of,
)
from core.ui.positions.trained import lines_of
from tests.tiny import save_model

REST = {
    CHOSEN: True, FACT: 0, HEAD: None, LAYER: 0, ORDER: None, ROWS: None, STREAM: "self", SOURCE: "formula",
    key_of("causal"): FIRST["causal"],
}  # fmt: skip


@pytest.fixture(scope="module")
def opened():
    """The page, opened once for all tests of this file."""
    from tests.ui.conftest import Page

    page = Page().open()
    page.app.switch_page("pages/positions.py")
    return page.run()


def shown(page, **state):
    return page.tell(**{**REST, **state})


def cells(page) -> str:
    return page.html[page.html.index("<table") :]


def test_alibi_opens_as_in_the_paper_and_not_causal_is_called_ours(opened):
    page = shown(opened, **{VIEW: "scheme", SCHEME: "alibi"})
    assert "a_{ij}" not in page.app.latex[0].value
    assert "keys after the query masked" in page.html
    assert page.app.button_group(key="positions_causal_of_alibi").value is True
    page = shown(page, **{key_of("causal"): False})
    assert "a_{ij}" in page.app.latex[0].value
    assert page.address["causal"] == "0"
    page = shown(page, **{SCHEME: "relative"})
    assert "causal" not in page.address
    assert "keys after the query masked" not in page.html


def test_alibi_and_shaw_each_keep_their_own_mask_side_by_side(opened):
    page = shown(opened, **{VIEW: "pair", SCHEME: "alibi", OTHER: "shaw"})
    assert page.app.button_group(key="positions_causal_of_alibi-shaw").value == "own"


def test_what_was_not_moved_proves_nothing(opened):
    text = "I don't want to"
    page = shown(opened, **{VIEW: "order", MODEL: "lm-alibi", TEXT: text})
    assert ROBBED in page.html
    page = shown(page, **{ORDER: tuple(range(6))})
    assert UNMOVED in page.html
    assert "causal mask" not in cells(page)


def test_a_model_without_positions_is_not_shown_with_them(opened):
    page = shown(opened, **{VIEW: "order", MODEL: "lm-none", TEXT: "I don't want to"})
    assert HAS_NONE in page.html
    assert "with positions<" not in cells(page)
    assert cells(page).count('<th scope="col">') == 2


def test_a_text_that_was_cut_off_is_said_to_be_and_names_its_rows_briefly(opened):
    text = "word " * 700
    for view in ("model", "order"):
        page = shown(opened, **{VIEW: view, MODEL: "sentiment-transformer", TEXT: text})
        assert any("were cut off" in sentence for sentence in page.sentences)
    names = re.findall(r'<th scope="row">(?:<span[^>]*>)?([^<]*)', cells(page))
    assert len(names) == 4
    assert max(map(len, names)) < 80
    page = shown(page, **{MODEL: "zh-en-transformer", TEXT: "x" * 3000 + " y"})
    assert "were cut off" in page.sentences[0]


def test_attention_by_distance_names_its_source_and_each_head_of_a_bias(opened):
    page = shown(opened, **{VIEW: "model", MODEL: "lm-alibi", TEXT: "my own words are here"})
    assert "lm-alibi · self-attention · a text of one&#x27;s own, special tokens left out" in page.html
    page = shown(page, **{HEAD: 2})
    assert "effect of ALiBi, head 2 by itself" in page.html


def test_every_head_of_a_bias_has_its_own_curve():
    thing = SCHEMES["alibi"].thing(Settings(length=8, heads=4, causal=True))
    found = curves_of(Fact("alibi", "self", None, thing, "x"), 5)
    assert found is not None
    slopes = 2.0 ** (-8 / 4 * torch.arange(1, 5))
    torch.testing.assert_close(found.values, (slopes[:, None] * found.offsets).exp())
    assert curves_of(Fact("deberta", "self", None, None, "x"), 5) is None


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({LAYER: 99}, "no layer 99 here, only 0 to 1"),
        ({HEAD: 99}, "no head 99 here, only 0 to 3"),
        ({STREAM: "decoder"}, "no attention of the decoder"),
        ({VIEW: "scheme", SOURCE: "model", FACT: 7}, "no scheme 7 here, only 0: 0"),
        ({VIEW: "scheme", SOURCE: "model", MODEL: "lm-learned", ROWS: 9999}, "1 to 512 here, not 9,999"),
    ],
)
def test_numbers_that_are_not_there_get_a_sentence_and_are_forgotten(opened, state, words):
    page = shown(opened, **{VIEW: "model", MODEL: "lm-alibi", TEXT: "Tom asked Mary", **state})
    assert any(words in sentence for sentence in page.sentences)
    page.run()
    assert not any(words in sentence for sentence in page.sentences)
    assert not {"9999", "99", "7", "decoder"} & set(page.address.values())


def test_pairs_without_a_whole_turn_are_counted_in_the_length_of_the_training():
    rotation = SCHEMES["rotary"].thing(Settings(width=22))
    old = ("no whole turn in 512 positions", "5 of 11 pairs")
    fact = Fact("rotary", "self", None, rotation, "x", (("base", "1"), old))
    assert lines_of(fact, 64) == (
        ("base", "1"), ("trained on", "up to 64 tokens"), ("no whole turn in 64 positions", "8 of 11 pairs"),
    )  # fmt: skip


def test_a_link_carries_the_text_that_the_terms_of_a_deberta_are_of(tmp_path, monkeypatch, byte_level):
    from tests.ui.conftest import Page

    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    relative = {
        "relative_attention": True,
        "position_buckets": 8,
        "pos_att_type": ["c2p"],
        "position_biased_input": False,
    }
    save_model(tmp_path / "mine", "deberta-v2", AutoModel, byte_level, **small, **relative)
    page = Page().open()
    page.app.switch_page("pages/positions.py")
    page.run()
    page = shown(page, **{VIEW: "scheme", SOURCE: "model", MODEL: "mine", TEXT: "my own words"}).run()
    assert "my own words" in page.component("selection").json
    page = shown(page, **{VIEW: "scheme", SOURCE: "model", MODEL: "lm-rotary", TEXT: "my own words"}).run()
    assert "my own words" not in page.component("selection").json
