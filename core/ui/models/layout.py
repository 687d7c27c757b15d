"""The page below its title: on the left the road of a model from its files to a picture, on the right what is here."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.models import state
from core.ui.models.bringing.bring_panel import bring_panel
from core.ui.models.bringing.found_panel import done_panel, found_panel
from core.ui.models.in_view import show_in_view
from core.ui.models.missing.missing_panel import missing_panel
from core.ui.models.opened.opened_panel import opened_panel
from core.ui.models.opened.opening import is_opening, open_asked, tell_failure
from core.ui.models.shelf import shelf


def show() -> None:
    """Draw both columns."""
    show_in_view()
    with st.container(key="models_page"):
        road, here = st.columns([0.62, 0.38], gap="small")
    with road:
        bring = st.container()
        # Each part has a place of its own, so that none takes over what another has drawn. While a model is opened
        # they are emptied at once: what a run does not draw stays on the screen until the run has ended.
        at_work = st.container()
        parts = [st.empty() if is_opening() else st.container() for _ in range(5)]
    with bring:
        bring_panel()
    if not is_opening():
        _show_road(*parts)
    with here:
        shelf()
    with at_work:
        open_asked()


def _show_road(
    came: DeltaGenerator, missing: DeltaGenerator, failed: DeltaGenerator, model: DeltaGenerator, done: DeltaGenerator
) -> None:
    """What came, what it lacks, and the model that was opened last; once that is of what came, the forms give way."""
    arrived, opened = state.arrived(), state.opened()
    with failed:
        tell_failure()
    if opened is not None:
        with model:
            opened_panel(opened)
    if arrived is None:
        return
    if state.is_done(arrived):
        with done:
            done_panel(arrived, state.again)
        return
    with came:
        candidate = found_panel(arrived)
    if candidate is not None:
        with missing:
            missing_panel(arrived, candidate)
