"""Headlight: what a neural sequence model attends to. Run it with `streamlit run app.py`."""

import streamlit as st

from core.ui.address import notice_arrival
from core.ui.frame import open_frame
from core.ui.starting import start

notice_arrival()
open_frame()
start()
st.navigation(
    [st.Page("pages/attention.py", title="Attention", icon=":material/grid_view:", default=True)],
    position="top",
).run()
