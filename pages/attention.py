"""Attention: a sentence in, every head of the model out."""

import streamlit as st

from core.text import notes_on
from core.ui import sidebar
from core.ui.card import figure_card
from core.ui.running import analyse
from core.ui.selection import select, selection_controls
from core.ui.words import facts, notes, small_print
from core.views import captions, head_view_figure, heatmap_figure, overview_figure


def open_clicked_head() -> None:
    """Open the head whose tile was clicked."""
    if chosen := st.session_state.overview["select"]:
        select(chosen["layer"], chosen["head"])


request = sidebar.request_controls()
analysis = analyse(request.model, request.dtype, request.text)
trace, survey = analysis.trace, analysis.survey
shown = selection_controls(trace, request.view_slot)

with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    st.subheader(f"Layer {shown.layer} · Head {shown.head}", anchor=False, width="content")
    facts(captions.head_facts(trace, survey, shown.layer, shown.head))

hint = sidebar.example_hint(request.text, shown.layer, shown.head)
notes(
    [(sentence, "warning") for sentence in shown.corrections]
    + [(found.sentence, "warning" if found.warning else "info") for found in notes_on(trace.tokens)]
    + ([(hint, "info")] if hint else [])
)

all_heads, one_head, one_layer = st.columns([0.37, 0.34, 0.29], gap="small")
with all_heads:
    figure = overview_figure(trace, survey, shown.layer, shown.head, shown.scale)
    figure_card(figure, "overview", open_clicked_head)
with one_head:
    figure_card(heatmap_figure(trace, survey.stream, shown.layer, shown.head, shown.scale), "heatmap")
with one_layer:
    figure_card(head_view_figure(trace, survey.stream, shown.layer, shown.head), "headview")
small_print(captions.provenance_line(trace), "provenance")
