"""What the models' cards tell of alignment over many pairs, and other words beside the figures of that page."""

from __future__ import annotations

import pytest

from core.ui.alignment.card_scores import losses, sets_of
from core.ui.alignment.examples import EXAMPLES, LONG_WITHOUT
from core.ui.alignment.going_on import GoingOn
from core.ui.alignment.measuring import cost_of
from core.ui.alignment.models import SHORT_DIRECTIONS, told
from core.ui.alignment.wish import Wish, _in_one_line
from core.ui.alignment.word_by_word import as_text

GRU, TRANSFORMER = "en-fr-gru-bahdanau", "en-fr-transformer"


def test_all_sets_of_pairs_of_a_card_are_told_and_where_attention_loses():
    sets, damaged = sets_of({name: told(name)["alignment"] for name in (GRU, TRANSFORMER)})
    assert list(sets) == [
        "20 pairs of our own",
        "84 ALIBI pairs of at most 12 words",
        "178 ALIBI pairs of at most 20 words",
    ]
    own, short, long = sets.values()
    assert own[GRU].cells == ["0.24", "–", "0.41", "0.09"]
    assert own[TRANSFORMER].cells == ["0.09", "0.10 (layer 1)", "0.41", "0.09"]
    assert losses(own) == f"Attention loses here to IBM model 1 ({GRU})."
    assert short[GRU].cells == ["0.42", "–", "0.25", "0.30"]
    assert losses(short) == losses(long) == "Attention loses here to the diagonal, and to IBM model 1."
    assert damaged == []


@pytest.mark.parametrize("alignment", ["abc", {}, {"pairs": 3, "attention": None}, {"pairs": "x"}, [1]])
def test_a_damaged_card_is_left_out_and_the_others_stay(alignment):
    sets, damaged = sets_of({"broken": alignment, GRU: told(GRU)["alignment"], "none": None})
    assert damaged == ["broken"]
    assert all(list(scores) == [GRU] for scores in sets.values())


def test_what_was_chosen_is_told_from_what_was_kept_in_an_address():
    wish = Wish("en-fr", (GRU,), "the cat", "greedy", 4, "")
    assert GoingOn(GRU, (9, 8, 30), wish, (2,)).written == "9.8.30"
    assert GoingOn(GRU, (9, 8, 30), wish, (0, 2)).written == "9*.8.30"


def test_small_words_are_right():
    assert _in_one_line("The cat\nis\t\x00black.") == "The cat is black."
    assert (as_text("␣wolf"), as_text("mir"), as_text("␣")) == ("wolf", "mir", "␣")
    assert cost_of([0.01]) == "8 seconds"
    assert set(SHORT_DIRECTIONS) == {"en-fr", "zh-en", "other"}
    assert [each.slug for each in EXAMPLES["zh-en"] if each.without == LONG_WITHOUT] == ["long"]
