"""Progress on a page: several jobs of one run each show a bar of their own."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def two_jobs() -> None:
    import streamlit as st

    from core.ui.progress import AT_ONCE, with_progress

    for key in ("first", "second"):
        st.write(with_progress(key, lambda job: job.advance(0, 1, AT_ONCE), key=key))


def test_two_jobs_of_one_run_show_their_bars():
    assert not AppTest.from_function(two_jobs).run().exception
