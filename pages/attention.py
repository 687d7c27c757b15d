"""Attention: a sentence in, every head of the model out."""

import streamlit as st

from core.ui import address, links, remarks, selection, sidebar, talk
from core.ui.answer import wrote_lines
from core.ui.components import mount
from core.ui.example_row import example_row
from core.ui.figures import page_of, show_figures
from core.ui.model_report import model_report, report_warnings
from core.ui.running import analyse
from core.ui.view_switch import view_address, view_notes, view_switch
from core.ui.without_attention import show_without_attention
from core.ui.words import facts, notes, small_print
from core.views import captions

# What to do in each view, in one line; an example's own hint comes before it.
HOW_TO = {
    "together": "Click a tile to open its head, a cell to read its weight, a token to see its lines alone.",
    "heatmap": "Each row is a query. Hover a cell for its exact weight, click to keep it, step with the arrow keys.",
    "headview": "Hover a token to see its lines alone, click to keep them, click a number to show or hide a head.",
    "text": "Click a token: the text is coloured by what it attends to, or by what attends to it.",
    "querykey": "How one query came to its weights, from vectors to scores to softmax. Choose the query, click a key.",
    "overview": "Rows are layers, columns are heads. Click a tile to open that head.",
    "headmap": "Each point is a head: farther right it looks farther, higher up it spreads its weight more. Click one.",
}

# Between two texts there is no distance.
HEADMAP_BETWEEN_TEXTS = (
    "Each point is a head: farther right it puts more weight on the first token, higher up it spreads its weight more. "
    "Click one."
)

# Where the rows are named by the token that they have read and by the one that comes next.
VIEWS_WITH_ROWS = ("together", "heatmap", "headview", "querykey")

request = sidebar.request_controls()
if talk.talking():
    example_row()
with st.container(horizontal=True, vertical_alignment="center", key="title_bar"):
    heading, chips = st.container(key="heading", width="content"), st.container(key="chips", width="content")
    st.space("stretch")
    about = st.container(key="about", width="content")
    talk.talk_button()
    with st.container(key="view_bar"):
        view = view_switch()

analysis = analyse(request.task)
if analysis is None:
    selection.keep_controls(request)
    st.stop()
trace = analysis.trace
sidebar.learn(request.task.model, analysis.card)
if not trace.streams:
    selection.keep_controls(request)
    here = {**request.address, **view_address(view), **talk.talk_address()}
    address.write(here, sidebar.first_visit())
    show_without_attention(analysis, heading, about, remarks.told(), request.task.writing.generate)
    st.stop()
shown = selection.selection_controls(trace, request)
here = {**request.address, **view_address(view), **shown.address, **talk.talk_address()}
address.write(here, {**sidebar.first_visit(), **selection.first_visit()})
page = page_of(analysis, request.task, shown)

which = "mean over heads" if shown.view.head is None else f"Head {shown.view.head}"
heading.subheader(f"Layer {shown.view.layer} · {which}", anchor=False, width="content")
with chips:
    facts(captions.head_facts(trace, page.survey, shown.view))
with about:
    model_report(analysis.card, analysis.report)

# The first line is always there, so that the figures keep their place while heads are compared.
example = request.opening
is_its_head = example is not None and (shown.view.layer, shown.view.head) == (example.layer, example.head)
between_texts = shown.view.stream in ("cross", "pooling")
how_to = HEADMAP_BETWEEN_TEXTS if view == "headmap" and between_texts else HOW_TO[view]
if view not in ("overview", "headmap"):
    how_to = " ".join(filter(None, [captions.rows_line(trace, shown.view, view in VIEWS_WITH_ROWS), how_to]))
notes(
    [(example.hint if is_its_head and view not in ("overview", "headmap") else how_to, "info")]
    + wrote_lines(trace, request.task.writing.generate)
    + report_warnings(analysis.report)
    + [(sentence, "warning") for sentence in remarks.told()]
    + [(found.sentence, "warning" if found.warning else "info") for found in captions.reading_notes(trace)]
    + view_notes(view, shown.view)
)
with st.container(key="follower"):
    mount("selection", {**shown.for_figures, "link": links.copied(here, request.own_texts)}, "selection")
show_figures(page, view)
if not talk.talking():
    small_print(captions.provenance_line(trace, shown.view.stream), "provenance")
