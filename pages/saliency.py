"""Saliency: attention beside gradients and occlusion on the same words, and what their agreement is worth."""

import streamlit as st

from core.ui import address, links, remarks, talk
from core.ui.components import mount
from core.ui.frame import need_frame
from core.ui.saliency import wording
from core.ui.saliency.agreement_panel import leave_for_head
from core.ui.saliency.answering import answers_of, go_on, question_of
from core.ui.saliency.controls import controls
from core.ui.saliency.layout import show
from core.ui.saliency.talk_row import talk_row
from core.ui.saliency.units import fit
from core.ui.saliency.wish import first_visit
from core.ui.words import facts, notes, small_print

need_frame()
wish = controls()
leave_for_head()
if talk.talking():
    talk_row(wish)
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    heading, chips = st.container(key="heading", width="content"), st.container(key="chips", width="content")
    st.space("stretch")
    talk.talk_button()
question = question_of(wish)
if question is not None:
    fit(question)
here = {**wish.address, **talk.talk_address(), **links.in_address(wish.own_texts)}
address.write(here, first_visit())
heading.subheader(wording.title_of(question), anchor=False, width="content")
with chips:
    facts(wording.facts_of(question))
told = remarks.told()
notes(
    [(wording.hint_of(wish, question), "info")]
    + [(sentence, "warning") for sentence in told]
    + [(sentence, "warning") for sentence in wording.notes_of(question)]
)
with st.container(key="follower"):
    mount("selection", {"link": links.copied(here, wish.own_texts)}, "saliency_link")
if question is not None:
    answers = answers_of(wish, question)
    show(question, answers, wish)
    if not talk.talking():
        small_print(wording.provenance_of(question), "provenance")
    if answers.pending and not wording.is_stopped(wish):
        # The next run draws the page anew, so it has to say the same again.
        remarks.keep(told)
        go_on()
