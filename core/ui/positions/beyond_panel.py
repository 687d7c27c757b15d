"""Beyond training: loss and attention entropy of the six twins, far past the lengths that they were trained on."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models.shipped import shipped
from core.ui.card import figure_card
from core.ui.positions.answering import figure_of
from core.ui.positions.state import SHARE
from core.ui.positions.wish import Wish
from core.ui.words import note
from core.views import Figure, Twin, extrapolation_figure, twin_of

# What their names begin with; lm-english has no sibling.
TWINS = "lm-"
SHARE_HELP = "Of the logarithm of the number of visible keys, so that 1 is attention spread evenly."
MISSING = "The twins are not here: get the folders lm-* of core/zoo/weights again."
# Each claim is held to the numbers in tests/ui/positions/test_beyond.py.
HONEST = (
    "Right of the dotted line are positions that no training text had. Only the loss of ALiBi stays level there; "
    "rotary holds to about twice the training's {trained} tokens, the relative bias to about one and a half times. "
    "Sinusoids and learned rows get worse at once: sinusoids have a value at every position, yet that is not enough, "
    "and learned rows beyond {trained} were never trained. Without positions, the loss is high from the start and "
    "creeps up. Each line is one training run of a small model, so small gaps mean nothing."
)


def beyond_panel(wish: Wish, slot: DeltaGenerator) -> None:
    """All twins on one axis, and one honest sentence."""
    told = {each.name: each.told for each in shipped() if each.name.startswith(TWINS) and not each.unavailable}
    twins = tuple(twin for name, each in told.items() if (twin := twin_of(name, each)) is not None)
    if not twins:
        note(MISSING, "error")
        return
    trained = int(told[twins[0].name]["recipe"]["data"]["longest"])
    note(HONEST.format(trained=trained), "info")
    with slot:
        st.toggle("Entropy as a share", key=SHARE, persist_state="session", help=SHARE_HELP)
    names = tuple(twin.name for twin in twins)
    figure = figure_of(("twins", names, wish.share), lambda: _drawn(twins, trained, wish.share))
    if figure is not None:
        figure_card(figure, {}, {})


def _drawn(twins: tuple[Twin, ...], trained: int, share: bool) -> Figure:
    return extrapolation_figure(twins, trained, share)
