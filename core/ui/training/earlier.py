"""All runs of this session in a table, and the choice of the one or two that the page shows."""

from __future__ import annotations

import streamlit as st

from core.ui.training.results import results_table
from core.ui.training.runs import MOST_SHOWN, SHOWN, all_runs, shown_runs
from core.ui.words import small_print


def earlier_runs() -> None:
    """A card with every run of this session, once two or more have ended."""
    runs = all_runs()
    ended = [run for run in runs if run.ended]
    if len(ended) < 2:
        return
    numbers = [run.number for run in runs]
    names = {run.number: run.name for run in runs}
    # The menu may be empty, or name a run that was let go of.
    st.session_state[SHOWN] = [number for number in st.session_state.get(SHOWN, []) if number in names] or [
        run.number for run in shown_runs()
    ]
    with st.container(border=True, key="earlier_card"):
        st.markdown("**Runs of this session**")
        st.multiselect(
            "Show one, or two over each other",
            numbers,
            format_func=names.__getitem__,
            key=SHOWN,
            max_selections=MOST_SHOWN,
            persist_state="session",
        )
        st.html(results_table(ended, [run.record for run in ended], names, plain=True))
        small_print("They are kept until you close or reload this tab: download what you want to keep.", "caption")
