"""The scheme: its formula, what the open model says of it, and every figure that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.positions.objects import Bias
from core.ui.card import figure_card
from core.ui.positions.answering import figure_of
from core.ui.positions.controls import open_model_itself, open_order
from core.ui.positions.formula_card import formula_card
from core.ui.positions.offered import FORMULA, KINDS
from core.ui.positions.parts import choose_one_head
from core.ui.positions.scheme_figures import Made, figures_of
from core.ui.positions.sides import Side, fact_title, formula_side, model_side
from core.ui.positions.state import KIND
from core.ui.positions.terms_panel import terms_panel
from core.ui.positions.wish import Wish
from core.ui.saliency.wording import literal
from core.ui.words import facts, small_print

if TYPE_CHECKING:
    from core.positions.facts import Fact


def scheme_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Everything about one scheme."""
    if wish.source == FORMULA:
        formula_card(wish.scheme, wish.settings.scaling)
        side = formula_side(wish.scheme, wish.settings)
        if side is None:
            _way_on(wish)
    else:
        side = model_side(wish, slot)
        if side is not None and side.fact is not None:
            _fact_card(side.fact)
            formula_card(side.scheme, getattr(side.thing, "scaling", "none"))
    if side is None:
        return
    made = figures_of(side, wish, head_slider(side, wish, slot))
    if any(each.is_product for each in made):
        _kind_switch(slot)
    narrow = [each for each in made if not each.is_wide]
    with st.container(key="figures"):
        columns = st.columns(2, gap="small")
        for place, each in enumerate(narrow):
            with columns[place % 2]:
                _show(each)
    for each in made:
        if each.is_wide:
            _show(each)
    terms_panel(side, wish, slot)


def head_slider(side: Side, wish: Wish, slot: DeltaGenerator) -> int:
    """Which head is drawn where they differ; 0 where they do not."""
    if not isinstance(side.thing, Bias):
        return 0
    with slot:
        return choose_one_head(len(side.thing.values), wish)


def _kind_switch(slot: DeltaGenerator) -> None:
    """Which product of two rows is drawn."""
    with slot:
        st.segmented_control(
            "Between two positions",
            tuple(KINDS),
            format_func=KINDS.__getitem__,
            key=KIND,
            persist_state="session",
            required=True,
            width="stretch",
        )


def _show(made: Made) -> None:
    figure = figure_of(made.key, made.make)
    if figure is not None:
        figure_card(figure, {}, {})


def _way_on(wish: Wish) -> None:
    """Where to look instead, for the two schemes that are no formula."""
    if wish.scheme == "learned":
        label = f"Look at the table of {literal(wish.model)}"
        st.button(label, icon=":material/table_rows:", on_click=open_model_itself, key="positions_open_model")
    if wish.scheme == "none":
        label = "Move words, with positions and without"
        st.button(label, icon=":material/swap_horiz:", on_click=open_order, key="positions_open_order")


def _fact_card(fact: Fact) -> None:
    """What the model's weights and config say, in a few words, and what has to be known of it."""
    with st.container(border=True, key="positions_fact"):
        small_print(f"{fact_title(fact)} · read from {fact.source}", "of-fact")
        facts([(f"{what} {value}", f"Of the open model: {what}.") for what, value in fact.lines])
        for sentence in fact.notes:
            small_print(sentence, "of-scheme")
