"""Models: any checkpoint, brought by its files and opened here, beside the models that are here already."""

import streamlit as st

from core.ui import address, remarks, talk
from core.ui.frame import need_frame
from core.ui.models import state
from core.ui.models.layout import show
from core.ui.models.opened.doors import leave
from core.ui.models.talk_row import talk_row
from core.ui.models.words_beside import facts_of_page, words_beside
from core.ui.words import facts, notes

need_frame()
leave()
state.arrive()
words_beside()
if talk.talking():
    talk_row()
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    st.container(key="heading", width="content").subheader("Models", anchor=False, width="content")
    with st.container(key="chips", width="content"):
        facts(facts_of_page())
    st.space("stretch")
    talk.talk_button()
address.write({**state.address_of_way(), **talk.talk_address()}, {})
notes([(sentence, "warning") for sentence in remarks.told()])
show()
