"""The ways in: a switch, and below it the way that is chosen."""

from __future__ import annotations

import streamlit as st

from core.errors import HeadlightError
from core.models.intake.limits import STANDARD, megabytes
from core.ui.models import state
from core.ui.models.bringing.dropping import bounds, drop_zone, forget_files
from core.ui.models.bringing.drops import mind_drops
from core.ui.models.bringing.hub_panel import hub_panel
from core.ui.models.bringing.servers import server_panel
from core.ui.models.opened.opening import forget_failure
from core.ui.words import note, small_print

REPLACED = "{name} was closed to make room for this: files of one model must be brought together, in one upload."


def bring_panel() -> None:
    """The card."""
    _mind_drops()
    with st.container(border=True, key="models_bring_card"):
        with st.container(horizontal=True, vertical_alignment="center", key="models_bring_head"):
            st.markdown("**Bring a model**", width="content")
            st.space("stretch")
            st.segmented_control(
                "Way in",
                tuple(state.WAYS),
                format_func=state.WAYS.__getitem__,
                key=state.WAY,
                persist_state="session",
                required=True,
                label_visibility="collapsed",
                on_change=_forget_troubles,
            )
        chosen = state.way()
        if chosen in (state.FILES, state.FOLDER):
            _uploaders(chosen)
        elif chosen == state.HUB:
            hub_panel()
        else:
            server_panel()
        if refused := state.refusal():
            note(refused, "error")
        if replaced := state.replaced():
            note(REPLACED.format(name=replaced), "warning")


def _mind_drops() -> None:
    """A setting that is wrong is said where files would be taken."""
    try:
        mind_drops(bounds())
    except HeadlightError:
        mind_drops(STANDARD)


def _forget_troubles() -> None:
    """What could not be had by one way is no matter of another."""
    forget_failure()
    state.refuse("")


def _uploaders(way: str) -> None:
    try:
        most = megabytes(bounds().nbytes)
    except HeadlightError as error:
        note(str(error), "error")
        return
    drop_zone(way)
    # Whatever is still in memory belongs to an upload that was stopped.
    forget_files()
    small_print(
        "Bring all files of a model together: what you bring next takes the place of what is shown. "
        f"Up to {most} together; larger models open from a folder on the server. What you bring stays in this browser "
        "session and is deleted with it. Nothing in it is run.",
        "caption",
    )
