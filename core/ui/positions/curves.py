"""Which single dimensions of a table, or pairs of a rotation, are drawn as curves."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.positions.objects import Rotation, Table, Thing
from core.ui.positions.state import DIMS
from core.ui.positions.wish import MOST_CURVES, Wish
from core.ui.words import note

# So many are drawn until somebody chooses others.
CURVES = 5
NOT_THERE = "There is no {noun} {dim} among the {count:,}, which are counted from 0: {first} are drawn."
HELP = "Up to {most}, drawn one above the other over the positions."


def curves_of(thing: Thing | None) -> tuple[int, str]:
    """How many curves there are to choose from, 0 where there are none, and what one of them is called."""
    if isinstance(thing, Rotation):
        return len(thing.frequencies), "pair"
    return (int(thing.values.shape[1]), "dimension") if isinstance(thing, Table) else (0, "")


def choose_curves(thing: Thing | None, wish: Wish, slot: DeltaGenerator) -> tuple[int, ...]:
    """The chosen ones; those of a first visit, with a sentence, where one of them is not there."""
    count, noun = curves_of(thing)
    if not count:
        return ()
    first = spread(count)
    shown = first if wish.dims is None else tuple(dim for dim in wish.dims if dim < count)
    key, state = f"positions_curves_of_{count}", st.session_state
    if wish.dims is not None and shown != wish.dims:
        dim = next(dim for dim in wish.dims if dim >= count)
        note(NOT_THERE.format(noun=noun, dim=dim, count=count, first=", ".join(map(str, first))), "warning")
        shown = first
    state[key] = list(shown)

    def take() -> None:
        chosen = tuple(sorted(state[key]))
        state[DIMS] = None if chosen in ((), first) else chosen

    slot.multiselect(
        f"{noun.capitalize()}s as curves",
        range(count),
        key=key,
        max_selections=MOST_CURVES,
        on_change=take,
        placeholder="Choose some",
        help=HELP.format(most=MOST_CURVES),
    )
    return shown


def spread(count: int, most: int = CURVES) -> tuple[int, ...]:
    """Up to `most` of the numbers below `count`, more of them at the fast end, where there is more to see."""
    if count <= most:
        return tuple(range(count))
    shares = ((step / (most - 1)) ** 1.6 for step in range(most))
    return tuple(dict.fromkeys(int(share * (count - 2)) // 2 * 2 for share in shares))
