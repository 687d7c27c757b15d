"""Headlight: what a neural sequence model attends to. Run it with `streamlit run app.py`."""

import streamlit as st

from core.ui.address import notice_arrival, notice_page
from core.ui.following import follow
from core.ui.frame import open_frame
from core.ui.starting import make_ready, start

notice_arrival()
open_frame()
attention = st.Page("pages/attention.py", title="Attention", icon=":material/grid_view:", default=True)
alignment = st.Page("pages/alignment.py", title="Alignment", icon=":material/translate:", url_path="alignment")
saliency = st.Page("pages/saliency.py", title="Saliency", icon=":material/balance:", url_path="saliency")
positions = st.Page("pages/positions.py", title="Positions", icon=":material/straighten:", url_path="positions")
training = st.Page("pages/training.py", title="Training", icon=":material/model_training:", url_path="training")
models = st.Page("pages/models.py", title="Models", icon=":material/deployed_code:", url_path="models")
page = st.navigation([attention, alignment, saliency, positions, training, models], position="top")
notice_page(page.url_path)
if page != training:
    # That page needs what takes seconds to import only once something is trained.
    start()
make_ready()
follow(page.url_path)
page.run()
