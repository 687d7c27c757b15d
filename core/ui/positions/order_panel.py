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
from core.ui.positions.answering import figure_of, orders_of, words_of
from core.ui.positions.offered import first_order
from core.ui.positions.parts import choose_head, choose_layer
from core.ui.positions.state import ORDER
from core.ui.positions.wish import Wish
from core.ui.words import note, small_print
from core.views import captions, order_figure, order_payload

if TYPE_CHECKING:
    from core.mechanics.order import OrderComparison

TOO_FEW = "One word has no order: type at least two."
OTHER_TEXT = "The order that was asked for is of another text: this one opens with an order of its own."


def order_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """The words, what came out, and the maps."""
    words = words_of(wish.model, wish.text)
    if words is None:
        return
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
    found = orders_of(wish.model, wish.text, order)
    if found is None:
        return
    with right:
        _answers(found, words)
    with slot:
        layer = choose_layer(found.original.layers(found.stream), wish)
        head = choose_head(found.original.heads(found.stream), wish)
    figure = figure_of(
        ("order", wish.model, wish.text, order, layer, head), lambda: order_figure(found, layer, head, bare=True)
    )
    if figure is not None:
        figure_card(figure, {}, {})
    small_print(captions.provenance_line(found.original, found.stream), "provenance")


def _answers(found: OrderComparison, words: tuple[str, ...]) -> None:
    """What came out in each order, and how far the maps are from being the same, only moved."""
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in order_words.titles(found))
    rows = (*order_words.rows(found, words), order_words.differences(found), order_words.identity(found))
    body = "".join(map(_line, rows))
    with st.container(border=True, key="positions_outputs"):
        st.html(f'<table class="headlight-orders"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')
        small_print(order_words.sentence_of(found), "of-scheme")


def _line(row: order_words.Row) -> str:
    """A line of the table; pointing at its name, or going there with the Tab key, brings up what it means."""
    told = f'<span class="told" title="{escape(row.help)}" tabindex="0">{escape(row.name)}</span>'
    name = told if row.help else escape(row.name)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row.cells)}</tr>'


def _take(words: tuple[str, ...], value: Any) -> None:
    """The words were moved; what a browser says is believed where it is an order of these words."""
    numbers = value if isinstance(value, list) and all(type(each) is int for each in value) else []
    if sorted(numbers) == list(range(len(words))):
        st.session_state[ORDER] = tuple(numbers)
