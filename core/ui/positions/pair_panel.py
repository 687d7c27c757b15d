"""Side by side: what distance does in two schemes, on one scale."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from core.positions.objects import Bias, Thing
from core.ui.card import figure_card
from core.ui.positions.answering import figure_of
from core.ui.positions.offered import FORMULA, MODEL_ITSELF
from core.ui.positions.scheme_figures import decay_of, length_of, shown_of
from core.ui.positions.scheme_panel import head_slider
from core.ui.positions.sides import Side, formula_side, model_side
from core.ui.positions.wish import Wish
from core.ui.words import note
from core.views import About, Figure, position_decay_figure, position_pair_figure

TWICE = "Both sides are the same: choose another scheme beside it."


def pair_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Both matrices on one colour scale, and both curves on one axis."""
    first = wish.scheme if wish.source == FORMULA else MODEL_ITSELF
    if first == wish.other:
        note(TWICE, "info")
        return
    sides = [side for name in (first, wish.other) if (side := _side(wish, name, slot)) is not None]
    shown = [(side.about, side.thing) for side in sides if side.thing is not None]
    if len(shown) < 2:
        return
    heads = [head_slider(side, wish, slot) for side in sides if isinstance(side.thing, Bias)][:1]
    head, length = sum(heads), min(length_of(thing, wish) for _, thing in shown)
    cut = [(about, shown_of(thing, length)) for about, thing in shown]
    key = (*(side.key for side in sides), length, head)
    pair = figure_of((*key, "pair"), lambda: position_pair_figure(cut[0], cut[1], length, head))
    if pair is None:
        return
    figure_card(pair, {}, {})
    overlay = figure_of((*key, "overlay"), lambda: _overlaid(cut, length, head))
    if overlay is not None:
        figure_card(overlay, {}, {})


def _overlaid(sides: list[tuple[About, Thing]], length: int, head: int) -> Figure:
    return position_decay_figure([(about, decay_of(thing, length, head)) for about, thing in sides], length - 1)


def _side(wish: Wish, name: str, slot: DeltaGenerator) -> Side | None:
    return model_side(wish, slot) if name == MODEL_ITSELF else formula_side(name, wish.settings)
