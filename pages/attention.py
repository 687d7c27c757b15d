"""Attention: a sentence in, every head of the model out."""

import streamlit as st

from core.ui import address, sidebar
from core.ui.answer import show_answer
from core.ui.card import figure_card
from core.ui.model_report import model_report, report_warnings
from core.ui.running import analyse
from core.ui.selection import first_visit, open_head, selection_controls
from core.ui.words import facts, notes, small_print
from core.views import captions, head_view_figure, heatmap_figure, overview_figure

HOW_TO = "Click a tile to open its head, hover a cell for its exact weight, hover a token to see its lines alone."


def open_clicked_head() -> None:
    """Open the head whose tile was clicked."""
    if chosen := st.session_state.overview["select"]:
        open_head(chosen["layer"], chosen["head"])


address.notice_arrival()
request = sidebar.request_controls()
analysis = analyse(request.task)
trace = analysis.trace
sidebar.learn(request.task.model, analysis.card)
shown = selection_controls(trace, request.view_slot, request.opening)
survey = analysis.surveys[shown.stream]
address.write({**request.address, **shown.address}, {**sidebar.first_visit(), **first_visit()})

with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    st.subheader(f"Layer {shown.layer} · Head {shown.head}", anchor=False, width="content")
    st.space("stretch")
    model_report(analysis.card, analysis.report)
facts(captions.head_facts(trace, survey, shown.layer, shown.head))

# The first line is always there, so that the figures keep their place while heads are compared.
example = request.opening
is_its_head = example is not None and (shown.layer, shown.head) == (example.layer, example.head)
notes(
    [(example.hint if is_its_head else HOW_TO, "info")]
    + report_warnings(analysis.report)
    + [(sentence, "warning") for sentence in (*request.remarks, *shown.remarks)]
    + [(found.sentence, "warning" if found.warning else "info") for found in captions.reading_notes(trace)]
)

with st.container(key="figures"):
    all_heads, one_head, one_layer = st.columns([0.37, 0.34, 0.29], gap="small")
with all_heads:
    figure = overview_figure(trace, survey, shown.layer, shown.head, shown.scale)
    figure_card(figure, "overview", open_clicked_head)
with one_head:
    figure_card(heatmap_figure(trace, survey.stream, shown.layer, shown.head, shown.scale), "heatmap")
with one_layer:
    figure_card(head_view_figure(trace, survey.stream, shown.layer, shown.head), "headview")
show_answer(trace, analysis.report)
small_print(captions.provenance_line(trace, shown.stream), "provenance")
