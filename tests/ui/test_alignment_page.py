"""The Alignment page without a browser: models side by side, gold links, other words, addresses, errors."""

from __future__ import annotations

import pytest
import streamlit as st

from core.models import shipped
from core.ui.alignment.going_on import GoingOn, take_alternative
from core.ui.alignment.state import DECODING, GOLD, HEAD, LAYER, LINKS, MODELS, PREFIX, READS, TARGET, TEXT
from core.ui.alignment.wish import Wish
from core.ui.resources import results
from tests.ui.conftest import Page
from tests.ui.translators import NETWORKS, write_translators

NAMES = list(NETWORKS)
OTHER_WORDS = "It wrote other words than the gold translation"


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_translators(tmp_path_factory.mktemp("weights"))


@pytest.fixture
def alignment(page, weights, monkeypatch):
    """The page over three small random models, not yet open."""
    monkeypatch.setattr(shipped, "WEIGHTS", weights)
    return page


def opened(page: Page, **parameters: str | list[str]) -> Page:
    """The page, arrived at by an address with these parameters."""
    page.app.switch_page("pages/alignment.py")
    return page.open(**parameters)


def figures(page: Page) -> list[str]:
    return [name for name in page.drawn if name not in ("selection", "exporter")]


def test_all_models_of_a_direction_stand_side_by_side_with_words_gold_and_quality(alignment):
    opened(alignment)
    assert alignment.title == "English → French"
    assert alignment.app.session_state[MODELS] == NAMES
    assert figures(alignment) == ["alignment", "steps"]
    assert alignment.component("alignment").bytes.count(b"It has no attention") == 1
    assert "0.36" in alignment.html
    assert "Attention loses here to the diagonal" in " ".join(alignment.sentences)
    assert "0.31 (layer 1, head 0)" in alignment.html
    assert "plotly_chart" in {element.type for element in alignment.app.main}
    assert alignment.address == {}


def test_layer_head_and_reading_change_without_another_run(alignment):
    opened(alignment)
    trace = stored(alignment)
    alignment.tell(**{LAYER: "1", HEAD: "0", READS: "input"})
    assert {"layer": "1", "head": "0", "reads": "input"}.items() <= alignment.address.items()
    assert b"layer 1, head 0" in alignment.component("alignment").bytes
    assert "always those of one step of the decoder" in alignment.html
    assert stored(alignment) == trace


def stored(page: Page) -> list[object]:
    """The runs in the store, as their keys."""
    keys = results().keys()
    return [key for key in keys if key[1:2] == ("alignment",)]


def test_a_gold_pair_is_said_by_every_model_and_judged_beside_the_diagonal(alignment):
    opened(alignment, gold="pair", pair="1")
    state = alignment.app.session_state
    assert (state[DECODING], state[TARGET]) == ("forced", "Mon petit frère a cassé la tasse bleue hier.")
    assert "diagonal's AER" in alignment.html
    assert alignment.html.count('<th scope="row">GRU, additive attention</th>') == 3
    assert {"gold": "pair", "pair": "1", "decoding": "forced"}.items() <= alignment.address.items()
    assert not {"text", "target", "own", "example"} & set(alignment.address)


def test_models_that_write_other_words_than_the_gold_pair_are_not_judged(alignment):
    opened(alignment, models=NAMES[1], gold="pair", pair="2").tell(**{DECODING: "greedy"})
    assert any(sentence.startswith(OTHER_WORDS) for sentence in alignment.sentences)
    assert "The models write by themselves" in alignment.html
    assert "diagonal's AER" not in alignment.html


def test_pasted_links_judge_a_forced_translation(alignment):
    asked = {"text": "the cat\ndon't", "target": "le chat noir", "links": "0-0 1-2 2-1"}
    opened(alignment, **asked, models=NAMES[1], decoding="forced", gold="pasted")
    assert "diagonal's AER" in alignment.html
    assert "0 the · 1 cat · 2 don&#x27;t" in alignment.html
    alignment.tell(**{LINKS: "0-0 1-9"})
    assert "diagonal's AER" not in alignment.html
    assert any("9" in sentence for sentence in alignment.sentences)


def test_another_word_is_gone_on_from_and_the_way_back_leads_to_the_models_own(alignment):
    opened(alignment, models=NAMES[1])
    own = alignment.component("steps").bytes
    wish = Wish("en-fr", (NAMES[1],), str(alignment.app.session_state[TEXT]), "greedy", 4, "")
    alignment.tell(**{PREFIX: GoingOn(NAMES[1], (9, 8, 30), wish, (0, 2))})
    assert {"begins": NAMES[1], "prefix": "9*.8.30"}.items() <= alignment.address.items()
    assert any("made to begin otherwise" in sentence for sentence in alignment.sentences)
    assert alignment.component("steps").bytes != own
    assert "Kept as the model had it: 1 of the first 3 tokens." in alignment.html
    alignment.app.button(key="go_back").click()
    assert alignment.run().component("steps").bytes == own
    assert "prefix" not in alignment.address


@pytest.mark.parametrize("value", [None, 3, {}, {"step": -1, "id": 3}, {"step": 9, "id": 3}, {"step": 1, "id": "3"}])
def test_what_no_click_can_mean_is_passed_over(value: object):
    st.session_state.pop(PREFIX, None)
    wish = Wish("en-fr", (NAMES[1],), "the cat", "greedy", 4, "")
    take_alternative(wish, NAMES[1], (5, 6, 7), value)
    assert PREFIX not in st.session_state
    take_alternative(wish, NAMES[1], (5, 6, 7), {"step": 2, "id": 30})
    assert st.session_state.pop(PREFIX) == GoingOn(NAMES[1], (5, 6, 30), wish, (2,))


def test_an_address_brings_the_words_to_begin_with(alignment):
    opened(alignment, models=NAMES[1], begins=NAMES[1], prefix="9.8.7")
    assert alignment.app.session_state[PREFIX].prefix == (9, 8, 7)
    assert any("made to begin otherwise" in sentence for sentence in alignment.sentences)


def test_a_text_of_ones_own_stays_out_of_the_address(alignment):
    opened(alignment, models=NAMES[1]).tell(**{TEXT: "the new cat", LAYER: "mean"})
    assert "text" not in alignment.address
    assert alignment.address["own"].isdigit()
    assert '"text": "the new cat"' in alignment.component("selection").json


def test_one_model_that_fails_leaves_the_others(alignment):
    opened(alignment, begins=NAMES[1], prefix="999999")
    (sentence,) = [each for each in alignment.sentences if each.startswith("GRU, additive attention:")]
    assert sentence.count(".") >= 1
    assert figures(alignment) == ["alignment", "steps"]
    assert not any("made to begin otherwise" in each for each in alignment.sentences)
    assert alignment.app.button(key="go_back")


def test_an_empty_sentence_and_no_model_are_told_in_a_sentence(alignment):
    opened(alignment).tell(**{TEXT: "  "})
    assert figures(alignment) == []
    assert len(alignment.sentences) == 1
    alignment.tell(**{TEXT: "the cat", MODELS: []})
    assert figures(alignment) == []
    assert any("No model is chosen" in sentence for sentence in alignment.sentences)


def test_without_any_weights_the_page_says_so(page, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path)
    opened(page)
    assert any("no model of this direction" in sentence for sentence in page.sentences)


def test_hostile_values_each_end_in_a_sentence(alignment):
    names = (
        "decoding",
        "beams",
        "gold",
        "pair",
        "from",
        "layer",
        "head",
        "reads",
        "word",
        "begins",
        "prefix",
        "example",
    )
    opened(alignment, **{name: f"<b>{name}</b>²" for name in ("direction", "models", *names)}, own="9")
    told = " ".join(alignment.sentences)
    assert [name for name in ("direction", "models", *names[:-2]) if f"<b>{name}" not in told] == []
    assert "does not carry your own texts" in told
    assert figures(alignment) == ["alignment", "steps"]


def test_a_link_opens_the_same_view(alignment):
    asked = {
        "direction": "en-fr",
        "models": ",".join(NAMES[1:]),
        "decoding": "beam",
        "beams": "3",
        "example": "negation",
        "layer": "1",
        "word": NAMES[2],
    }
    opened(alignment, **asked)
    assert alignment.address == asked
    assert alignment.app.session_state[GOLD] == "none"
