"""The page below its title: matrices side by side, one model word by word, gold links, quality and time by length."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.errors import HeadlightError
from core.ui.alignment import panels
from core.ui.alignment.going_on import GoingOn, go_back, take_alternative
from core.ui.alignment.gold_panel import gold_card
from core.ui.alignment.judging import gold_of_page
from core.ui.alignment.looking import Looking
from core.ui.alignment.measuring import seconds_card
from core.ui.alignment.models import labels_of
from core.ui.alignment.opening import open_button
from core.ui.alignment.running import Outcome
from core.ui.alignment.state import WORD_MODEL
from core.ui.alignment.wish import Wish
from core.ui.card import figure_card
from core.ui.words import note


def show(outcomes: Sequence[Outcome], wish: Wish, looking: Looking, going_on: GoingOn | None) -> None:
    """Draw everything that there is to see of the models that ran."""
    gold = gold_of_page(wish.direction)
    aligned = panels.aligned_of(outcomes, looking, gold)
    if aligned:
        figure_card(panels.alignment(aligned, wish, looking), {}, {})
    with st.container(key="figures"):
        left, right = st.columns([0.57, 0.43], gap="small")
    with left:
        _word_by_word(outcomes, wish, looking, going_on)
    with right:
        gold_card(aligned, gold, wish)
        if (figure := panels.quality(wish)) is not None:
            figure_card(figure, {}, {})
    seconds_card(labels_of([each.outcome.model for each in aligned]))


def _word_by_word(outcomes: Sequence[Outcome], wish: Wish, looking: Looking, going_on: GoingOn | None) -> None:
    """The chosen model's text, step by step, with the way back to its own words where it was led away from them."""
    runs = {outcome.model: outcome.run for outcome in outcomes if outcome.run is not None}
    run = runs.get(looking.word)
    if run is None:
        return
    labels = labels_of(list(runs))
    with st.container(horizontal=True, vertical_alignment="center", key="word_bar"):
        st.selectbox(
            "Word by word",
            list(runs),
            format_func=labels.__getitem__,
            key=WORD_MODEL,
            persist_state="session",
            label_visibility="collapsed",
            width=220,
        )
        if going_on is not None:
            st.button(
                "Back to its own words", icon=":material/undo:", on_click=go_back, key="go_back", type="secondary"
            )
        st.space("stretch")
        open_button(run)
    said = run.trace.said
    written = () if said is None else said.ids[1:]
    try:
        figure = panels.steps(run, labels[run.reading.model], wish, looking)
    except HeadlightError as error:
        note(str(error), "error")
        return
    triggers = {"alternative": partial(take_alternative, wish, run.reading.model, written)}
    figure_card(figure, triggers, {})
