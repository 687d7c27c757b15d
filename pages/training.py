"""Training: a small network learns a small task while you watch its attention."""

import streamlit as st

from core.ui import address, remarks, talk
from core.ui.frame import need_frame
from core.ui.starting import start
from core.ui.training import controls, empty, plan, runs, talk_row
from core.ui.words import facts, notes

need_frame()
planned = controls.plan_of_page()
if controls.was_pressed():
    start()
    runs.begin(planned)
else:
    # The place is there in every run, see `start`.
    st.empty()
was_live = bool(runs.going_on())
controls.controls(planned)
shown = runs.shown_runs()
if talk.talking():
    talk_row.talk_row(planned)
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    st.container(key="heading", width="content").subheader(
        runs.title_of(shown) or planned.title, anchor=False, width="content"
    )
    with st.container(key="chips", width="content"):
        facts(runs.facts_of(shown))
    empty.show_next(planned, runs.title_of(shown))
    st.space("stretch")
    talk.talk_button()
here = {**plan.plan_address(), **talk.talk_address()}
address.write(here, plan.first_visit())
notes([(sentence, "warning") for sentence in remarks.told()])
if shown:
    # Imported late: the figures need torch, and the page before the first run does not.
    from core.ui.training.earlier import earlier_runs
    from core.ui.training.watching import watch

    watch(here, was_live)
    earlier_runs()
else:
    empty.show_empty(planned)
