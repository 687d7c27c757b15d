"""Positions: how order gets into a Transformer, as a formula, in a model's weights, and in what attention does."""

import streamlit as st

from core.ui import address, links, remarks, talk
from core.ui.components import mount
from core.ui.frame import need_frame
from core.ui.positions import wording
from core.ui.positions.controls import controls
from core.ui.positions.layout import show
from core.ui.positions.talk_row import talk_row
from core.ui.positions.terms_panel import reads_text
from core.ui.positions.view_bar import view_bar
from core.ui.positions.wish import first_visit
from core.ui.words import facts, notes

need_frame()
wish, slot = controls()
if talk.talking():
    talk_row(wish)
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    heading, chips = st.container(key="heading", width="content"), st.container(key="chips", width="content")
    st.space("stretch")
    talk.talk_button()
    with st.container(key="view_bar"):
        view_bar()
here = {**wish.address, **talk.talk_address(), **links.in_address(wish.own_texts)}
address.write(here, first_visit())
heading.subheader(wording.title_of(wish), anchor=False, width="content")
with chips:
    facts(wording.facts_of(wish))
notes([(sentence, "warning") for sentence in remarks.told()])
with st.container(key="follower"):
    mount("selection", {"link": links.copied(here, wish.own_texts if reads_text(wish) else {})}, "positions_link")
show(wish, slot)
