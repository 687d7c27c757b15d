"""Does order matter? The same words in another order, with positions and without: maps, outputs, and the identity."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.card import figure_card
from core.ui.components import mount
from core.ui.positions import order_words
from core.ui.positions.answering import facts_of_model, figure_of, orders_of, words_of
from core.ui.positions.first_order import first_order
from core.ui.positions.parts import choose_head, choose_layer
from core.ui.positions.reading import reading_notes
from core.ui.positions.state import ORDER
from core.ui.positions.wish import MOST_MOVED, Wish
from core.ui.words import note, small_print
from core.views import captions, order_figure, order_payload

if TYPE_CHECKING:
    from core.mechanics.order import OrderComparison
    from core.positions.facts import Fact

TOO_FEW = "One word has no order: type at least two."
TOO_LONG = "Addresses and links carry orders of up to {most} words: this one is lost when the page is loaded again."
OTHER_TEXT = "The order that was asked for is of another text: this one opens with an order of its own."


def order_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """The words, what came out, and the maps."""
    read = words_of(wish.model, wish.text)
    if read is None:
        return
    words, told = read
    reading_notes(told)
    if len(words) < 2:
        note(TOO_FEW, "info")
        return
    order = wish.order
    if order is not None and len(order) != len(words):
        note(OTHER_TEXT, "warning")
        order = None
    order = order or first_order(words)
    with st.container(key="figures"):
        left, right = st.columns((0.31, 0.69), gap="small")
    with left, st.container(border=True, key="positions_words"):
        mount("order", order_payload(words, order, False), "positions_order_chips", {"order": partial(_take, words)})
    if not wish.order_fits:
        note(TOO_LONG.format(most=MOST_MOVED), "info")
    found = orders_of(wish.model, wish.text, order)
    if found is None:
        return
    is_told = _is_told(found, facts_of_model(wish.model) or ())
    with right:
        _answers(found, words, is_told)
    with slot:
        layer = choose_layer(found.original.layers(found.stream), wish)
        head = choose_head(found.original.heads(found.stream), wish)
    figure = figure_of(
        ("order", wish.model, wish.text, order, layer, head), lambda: order_figure(found, layer, head, bare=is_told)
    )
    if figure is not None:
        figure_card(figure, {}, {})
    small_print(captions.provenance_line(found.original, found.stream), "provenance")


def _is_told(found: OrderComparison, facts: tuple[Fact, ...]) -> bool:
    """Whether the model is told positions at all; where nothing is known of it, whether they change anything."""
    if facts or found.bare_original is None:
        return not facts or any(fact.scheme != "none" for fact in facts)
    numbers = (found.difference, found.output_difference), (found.bare_difference, found.bare_output_difference)
    return numbers[0] != numbers[1]


def _answers(found: OrderComparison, words: tuple[str, ...], is_told: bool) -> None:
    """What came out in each order, and how far the maps are from being the same, only moved."""
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in order_words.titles(found, is_told))
    rows = (*order_words.rows(found, words), order_words.differences(found), order_words.identity(found))
    columns = 1 if not is_told else 2
    body = "".join(_line(row, columns) for row in rows)
    with st.container(border=True, key="positions_outputs"):
        st.html(f'<table class="headlight-orders"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')
        small_print(order_words.sentence_of(found, is_told), "of-scheme")


def _line(row: order_words.Row, columns: int) -> str:
    """A line of the table; pointing at its name, or going there with the Tab key, brings up what it means."""
    told = f'<span class="told" title="{escape(row.help)}" tabindex="0">{escape(row.name)}</span>'
    name = told if row.help else escape(row.name)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row.cells[:columns])}</tr>'


def _take(words: tuple[str, ...], value: Any) -> None:
    """The words were moved; what a browser says is believed where it is an order of these words."""
    numbers = value if isinstance(value, list) and all(type(each) is int for each in value) else []
    if sorted(numbers) == list(range(len(words))):
        st.session_state[ORDER] = tuple(numbers)
