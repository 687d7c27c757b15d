"""Alignment: one sentence through several translation models, and where each looks for every word that it writes."""

import streamlit as st

from core.ui import address, links, remarks, talk
from core.ui.alignment import controls, going_on, layout, wording
from core.ui.alignment.gold_choice import gold_address
from core.ui.alignment.looking import looking_at
from core.ui.alignment.running import outcomes_of
from core.ui.alignment.step import step_address
from core.ui.alignment.talk_row import talk_row
from core.ui.alignment.wish import first_visit
from core.ui.components import mount
from core.ui.frame import need_frame
from core.ui.words import facts, notes, small_print

need_frame()
wish, slot = controls.controls()
led = going_on.going_on(wish)
if talk.talking():
    talk_row(wish)
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    heading, chips = st.container(key="heading", width="content"), st.container(key="chips", width="content")
    st.space("stretch")
    talk.talk_button()
heading.subheader(wording.title_of(wish), anchor=False, width="content")
outcomes = outcomes_of(wish, led) or ()
looking = looking_at(outcomes, slot)
hint = wording.hint_of(wish, outcomes)
with chips:
    if talk.talking():
        small_print(hint, "hint")
    else:
        facts(wording.facts_of(wish, outcomes, looking))
is_own = "text" in wish.own_texts
own = {**wish.own_texts, **going_on.own_text_of(led, is_own)}
begun = going_on.address_of(led, is_own)
step = step_address(outcomes, looking)
asked = {**wish.address, **gold_address(), **looking.address, **step, **begun, **talk.talk_address()}
here = {**asked, **links.in_address(own)}
address.write(here, first_visit())
notes(
    ([(hint, "info")] if hint and not talk.talking() else [])
    + wording.notes_of(wish, outcomes, led)
    + [(sentence, "warning") for sentence in remarks.told()]
    + wording.reading_notes(outcomes)
)
with st.container(key="follower"):
    mount("selection", {"link": links.copied(here, own)}, "alignment_link")
if outcomes:
    layout.show(outcomes, wish, looking, led)
    if not talk.talking():
        small_print(wording.provenance_of(outcomes), "provenance")
