"""The page below its title: one of five views."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from core.ui.positions.beyond_panel import beyond_panel
from core.ui.positions.model_panel import model_panel
from core.ui.positions.order_panel import order_panel
from core.ui.positions.pair_panel import pair_panel
from core.ui.positions.scheme_panel import scheme_panel
from core.ui.positions.wish import Wish

PANELS = {
    "scheme": scheme_panel,
    "pair": pair_panel,
    "model": model_panel,
    "beyond": beyond_panel,
    "order": order_panel,
}


def show(wish: Wish, slot: DeltaGenerator) -> None:
    """Draw the view. slot: the place in the sidebar of the controls that the model decides."""
    PANELS[wish.view](wish, slot)
