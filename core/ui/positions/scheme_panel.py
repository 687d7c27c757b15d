"""The scheme: its formula, what the open model says of it, and every figure that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.positions.cuts import positions_held
from core.positions.objects import Bias, OffsetVectors
from core.ui.card import figure_card
from core.ui.positions.answering import figure_of
from core.ui.positions.curves import choose_curves
from core.ui.positions.deberta_versions import CLIPPED, GROWING, is_clipped
from core.ui.positions.formula_card import formula_card
from core.ui.positions.offered import FORMULA, KINDS
from core.ui.positions.parts import USUAL_ROWS, choose_one_head, choose_rows
from core.ui.positions.scheme_figures import Look, Made, figures_of
from core.ui.positions.sides import Side, fact_title, formula_side, model_side
from core.ui.positions.state import KIND
from core.ui.positions.terms_panel import terms_panel
from core.ui.positions.trained import lines_of, trained_of, words_of
from core.ui.positions.ways import HAVE_NO_FORMULA, way_on
from core.ui.positions.wish import Wish
from core.ui.words import facts, small_print

if TYPE_CHECKING:
    from core.positions.facts import Fact

# Of a table with more rows: all pairs of them are compared, which fills the memory with the square of their number.
MOST_ROWS = 4096


def scheme_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Everything about one scheme."""
    if wish.source == FORMULA:
        side = _by_formula(wish)
    else:
        side = model_side(wish, slot)
        if side is not None and side.fact is not None:
            _fact_card(side.fact, trained_of(wish.model))
            formula_card(
                side.scheme, getattr(side.thing, "scaling", "none"), _version_of(side), _is_causal(side), is_first=False
            )
            if side.scheme == "none":
                way_on(side.scheme)
    if side is None:
        return
    side, made = _looked_at(side, wish, slot)
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


def _by_formula(wish: Wish) -> Side | None:
    formula_card(wish.scheme, wish.settings.scaling, wish.version, wish.settings.causal)
    side = None if wish.scheme in HAVE_NO_FORMULA else formula_side(wish.scheme, wish.settings, wish.version)
    way_on(wish.scheme)
    return side


def _version_of(side: Side) -> str:
    """Which formula of DeBERTa a model has; any other scheme has one only."""
    thing = side.thing
    return GROWING if isinstance(thing, OffsetVectors) and not is_clipped(thing.buckets) else CLIPPED


def _is_causal(side: Side) -> bool:
    return not isinstance(side.thing, Bias) or side.thing.causal


def _looked_at(side: Side, wish: Wish, slot: DeltaGenerator) -> tuple[Side, tuple[Made, ...]]:
    """The figures, after the controls that the scheme decides; and the side as their captions name it."""
    thing = side.thing
    if thing is None:
        return side, ()
    length, held = wish.settings.length, positions_held(thing)
    with slot:
        if side.fact is not None and not isinstance(thing, OffsetVectors):
            every = held or max(USUAL_ROWS, side.trained or 0)
            length = choose_rows(min(every, MOST_ROWS), wish)
            of = f" of {every:,}" if held is not None else ""
            side = replace(side, about=replace(side.about, settings=f"positions {length:,}{of}"))
        head = choose_one_head(len(thing.values), wish.head) if isinstance(thing, Bias) else 0
    dims = choose_curves(thing, wish, slot)
    return side, figures_of(side, Look(length if held is None else min(length, held), head, wish.kind, dims))


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


def _fact_card(fact: Fact, trained: int | None) -> None:
    """What the model's weights and config say, in a few words, and what has to be known of it."""
    lines = fact.lines if trained is None else lines_of(fact, trained)
    with st.container(border=True, key="positions_fact"):
        small_print(f"{fact_title(fact)} · read from {fact.source}", "of-fact")
        facts([(f"{what} {value}", f"Of the open model: {what}.") for what, value in lines])
        for sentence in (*fact.notes, words_of(trained, fact.trained)):
            if sentence:
                small_print(sentence, "of-scheme")
