"""The terms that DeBERTa's scores are a sum of: of the open model on the text, or of vectors drawn at random."""

from __future__ import annotations

from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from core.ui.card import figure_card
from core.ui.positions import deberta_versions
from core.ui.positions.answering import figure_of, known_facts, layers_of, terms_of_model
from core.ui.positions.controls import text_box
from core.ui.positions.offered import MODEL_ITSELF
from core.ui.positions.parts import choose_layer, choose_one_head
from core.ui.positions.sides import Side
from core.ui.positions.wish import Wish
from core.ui.words import note
from core.views import Figure, terms_figure

RANDOM = (
    "These maps are of vectors drawn at random: only their form is the scheme's. With a DeBERTa as the open model they "
    "are of its own scores on your text."
)
# Positions of the illustration: more would be a texture.
SHOWN = 48


def terms_panel(side: Side, wish: Wish, slot: DeltaGenerator) -> None:
    """The three maps and their sum, of a scheme that has them."""
    if side.scheme != "deberta":
        return
    if side.fact is None:
        note(RANDOM, "info")
        figure = figure_of((*side.key, "terms"), lambda: _drawn_at_random(side, wish.version))
    else:
        figure = _of_model(side, wish, slot)
    if figure is not None:
        figure_card(figure, {}, {})


def reads_text(wish: Wish) -> bool:
    """Whether what is shown depends on the text, as far as this session knows the open model."""
    if wish.view != "scheme" or wish.source != MODEL_ITSELF:
        return wish.reads_text
    facts = known_facts(wish.model)
    return bool(facts) and facts[min(wish.fact, len(facts) - 1)].scheme == "deberta"


def _drawn_at_random(side: Side, version: str) -> Figure:
    settings = replace(side.settings, length=min(side.settings.length, SHOWN))
    return terms_figure(deberta_versions.terms_of(version, settings), None, side.about)


def _of_model(side: Side, wish: Wish, slot: DeltaGenerator) -> Figure | None:
    layers = layers_of(wish.model)
    if layers is None:
        return None
    with slot:
        text_box()
        layer = choose_layer(layers, wish)
    found = terms_of_model(wish.model, wish.text, layer)
    if found is None:
        return None
    terms, tokens = found
    with slot:
        head = choose_one_head(len(terms.total), wish.head)
    key = (*side.key, "terms", wish.text, layer, head)
    return figure_of(key, lambda: terms_figure(terms, tokens.labels, side.about, head))
