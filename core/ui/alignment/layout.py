"""The page below its title: matrices side by side, one model word by word, gold links, quality and time by length."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.ui.alignment import panels
from core.ui.alignment.going_on import GoingOn
from core.ui.alignment.gold_panel import gold_card
from core.ui.alignment.judging import gold_of_page
from core.ui.alignment.looking import Looking
from core.ui.alignment.measuring import seconds_card
from core.ui.alignment.models import labels_of
from core.ui.alignment.running import Outcome
from core.ui.alignment.wish import Wish
from core.ui.alignment.word_by_word import word_by_word
from core.ui.card import figure_card


def show(outcomes: Sequence[Outcome], wish: Wish, looking: Looking, going_on: GoingOn | None) -> None:
    """Draw everything that there is to see of the models that ran."""
    gold = gold_of_page(wish.direction)
    aligned = panels.aligned_of(outcomes, looking, gold)
    if aligned:
        figure_card(panels.alignment(aligned, wish, looking), {}, {})
    with st.container(key="figures"):
        left, right = st.columns([0.57, 0.43], gap="small")
    with left:
        word_by_word(outcomes, wish, looking, going_on)
    with right:
        gold_card(aligned, gold, wish)
        if (figure := panels.quality(wish)) is not None:
            figure_card(figure, {}, {})
    runs = {each.outcome.model: each.outcome.run for each in aligned if each.outcome.run is not None}
    seconds_card(labels_of(list(runs)), {name: run.pace for name, run in runs.items()})
