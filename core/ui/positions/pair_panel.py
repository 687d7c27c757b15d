"""Side by side: what distance does in two schemes, on one scale."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from core.positions.cuts import cut, positions_held
from core.positions.objects import Bias, Thing
from core.ui.card import figure_card
from core.ui.positions.answering import figure_of
from core.ui.positions.offered import MODEL_ITSELF
from core.ui.positions.parts import choose_one_head
from core.ui.positions.sides import Side, formula_side, model_side
from core.ui.positions.state import HEAD, OTHER_HEAD
from core.ui.positions.ways import HAVE_NO_FORMULA, is_number, way_around
from core.ui.positions.wish import Wish
from core.ui.words import note
from core.views import About, Figure, position_decay_figure, position_pair_figure

SIMILARITY = "Vectors and angles: the similarity of two positions."
FACTOR = "Biases: e^bias, the factor on a weight before it is normalised."
HOW_TO = "All are 1 at distance 0: compare shapes, not heights."
TWICE = "Both sides are the same: choose another scheme beside it."


def pair_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """Both matrices on one colour scale, and both curves on one axis."""
    first = wish.first
    if first == wish.other:
        note(TWICE, "info")
        return
    sides = []
    for is_left, name in ((True, first), (False, wish.other)):
        side = _side(wish, name, slot)
        sides.append(side)
        # A model that cannot be opened, or has nothing, has said so.
        if not is_number(side) and (side is not None or name in HAVE_NO_FORMULA):
            way_around(side.scheme if side is not None else name, side, wish, is_left)
    left, right = sides
    if left is None or right is None or left.thing is None or right.thing is None:
        return
    if is_number(left) and is_number(right):
        _drawn(left, right, left.thing, right.thing, _heads(left.thing, right.thing, wish, slot), wish)


def _drawn(left: Side, right: Side, one: Thing, other: Thing, heads: tuple[int, int], wish: Wish) -> None:
    length = min(wish.settings.length, *(held for thing in (one, other) if (held := positions_held(thing)) is not None))
    shown = [(side.about, cut(thing, length)) for side, thing in ((left, one), (right, other))]
    key = (left.key, right.key, length, heads)
    pair = figure_of((*key, "pair"), lambda: position_pair_figure(shown[0], shown[1], length, heads))
    if pair is None:
        return
    note(_compared(one, other), "info")
    figure_card(pair, {}, {})
    overlay = figure_of((*key, "overlay"), lambda: _overlaid(shown, length, heads))
    if overlay is not None:
        figure_card(overlay, {}, {})


def _compared(one: Thing, other: Thing) -> str:
    """What is compared, exactly: a similarity is no factor."""
    are_biases = {isinstance(thing, Bias) for thing in (one, other)}
    told = [words for is_bias, words in ((False, SIMILARITY), (True, FACTOR)) if is_bias in are_biases]
    return " ".join([*told, HOW_TO])


def _overlaid(sides: list[tuple[About, Thing]], length: int, heads: tuple[int, int]) -> Figure:
    from core.positions.measures import effect

    curves = [(about, effect(thing, length - 1, head)) for (about, thing), head in zip(sides, heads, strict=True)]
    return position_decay_figure(curves, length - 1)


def _heads(one: Thing, other: Thing, wish: Wish, slot: DeltaGenerator) -> tuple[int, int]:
    """The head of each side that has some; 0 of one that has none."""
    both = isinstance(one, Bias) and isinstance(other, Bias)
    labels = ("Head on the left", "Head on the right") if both else ("Head", "Head")
    asked = ((one, wish.head, HEAD), (other, wish.other_head, OTHER_HEAD))
    with slot:
        found = [
            choose_one_head(len(thing.values), chosen, kept, label) if isinstance(thing, Bias) else 0
            for (thing, chosen, kept), label in zip(asked, labels, strict=True)
        ]
    return found[0], found[1]


def _side(wish: Wish, name: str, slot: DeltaGenerator) -> Side | None:
    if name == MODEL_ITSELF:
        return model_side(wish, slot)
    return None if name in HAVE_NO_FORMULA else formula_side(name, wish.settings_of(name), wish.version)
