"""The figures of the Attention page: which view shows which, side by side, and how each is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.ui.answer import show_answer
from core.ui.card import figure_card
from core.ui.measures_panel import measures_panel
from core.ui.picks import TRIGGERS, open_head
from core.ui.results import survey_under, whole_of
from core.ui.words import note, small_print
from core.views import (
    Figure,
    captions,
    head_map_figure,
    head_view_figure,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    text_figure,
    whole_figure,
)

if TYPE_CHECKING:
    from core.heads import Survey
    from core.ui.running import Analysis, Task
    from core.ui.selection import Selection

MEASURES, WHOLE, ANSWER = "measures", "whole", "answer"
# Columns of each view: their share of the width, and what stands in them from top to bottom.
COLUMNS: dict[str, tuple[tuple[float, tuple[str, ...]], ...]] = {
    "together": ((0.36, ("overview", MEASURES)), (0.35, (WHOLE, "heatmap", ANSWER)), (0.29, ("headview",))),
    "overview": ((0.68, ("overview",)), (0.32, (ANSWER, MEASURES))),
    **{
        view: ((0.34, ("overview", WHOLE, MEASURES)), (0.66, (view, ANSWER)))
        for view in ("heatmap", "headview", "text", "querykey", "headmap")
    },
}
# A short text takes little height: the panel stands below it.
SHORT_TEXT = 150
COLUMNS_OF_SHORT_TEXT = ((0.34, ("overview",)), (0.66, ("text", ANSWER, MEASURES)))
# What has a window on a long map, and so needs the map of the whole text beside it.
WINDOWED = ("together", "heatmap", "headview")
NOTHING_PICKED = "Click a cell to read its exact weight here."


@dataclass(frozen=True)
class Page:
    """All that the figures of one page are made of. survey: that of the run, its tiles under the view's filters."""

    analysis: Analysis
    task: Task
    survey: Survey
    selection: Selection


def page_of(analysis: Analysis, task: Task, selection: Selection) -> Page:
    """Gather what the figures need; works out the tiles under filters where they are not in the store."""
    survey = survey_under(analysis, task, selection.view.stream, selection.view.filters)
    return Page(analysis, task, survey, selection)


def show_figures(page: Page, view: str) -> None:
    """Draw the figures of a view into the page."""
    is_short_text = view == "text" and len(page.analysis.trace.tokens) <= SHORT_TEXT
    layout = COLUMNS_OF_SHORT_TEXT if is_short_text else COLUMNS[view]
    with st.container(key="figures"):
        columns = st.columns([share for share, _ in layout], gap="small")
    for column, (_, names) in zip(columns, layout, strict=True):
        with column:
            for name in names:
                if name != WHOLE or (page.selection.long and view in WINDOWED):
                    _show(page, name)


def _show(page: Page, name: str) -> None:
    trace, selection = page.analysis.trace, page.selection
    if name == MEASURES:
        measures_panel(trace, page.survey, selection.view)
        return
    if name == ANSWER:
        show_answer(trace, page.analysis.report)
        return
    try:
        figure = BUILDERS[name](page)
    except HeadlightError as error:
        note(str(error), "error")
        return
    if figure is None:
        return
    picked = None
    if name == "heatmap":
        looking = selection.looking
        picked = captions.picked_line(trace, selection.view, looking.query, looking.key) or NOTHING_PICKED
    figure_card(figure, TRIGGERS[name], selection.for_figures, picked)


def _whole(page: Page) -> Figure | None:
    view = page.selection.view
    whole = whole_of(page.analysis, page.task, view)
    return None if whole is None else whole_figure(page.analysis.trace, view, whole)


def _query_key(page: Page) -> Figure | None:
    trace, view, looking = page.analysis.trace, page.selection.view, page.selection.looking
    if view.head is None:
        _no_single_head(view.layer)
        return None
    query = looking.query
    if query is None:
        # The last token sees the most in every kind of model; special ones after it say little.
        query = max((i for i, special in enumerate(trace.queries(view.stream).special) if not special), default=0)
    return query_key_figure(trace, view, query, looking.key)


def _no_single_head(layer: int) -> None:
    with st.container(border=True, key="querykey_empty"):
        st.markdown("**Queries and keys belong to one head**")
        small_print("Their mean over the heads gives no weights. Click a tile, or open the first head.", "caption")
        st.button("Open head 0", on_click=open_head, args=(layer, 0), key="open_head_0")


BUILDERS: dict[str, Callable[[Page], Figure | None]] = {
    "overview": lambda page: overview_figure(page.analysis.trace, page.survey, page.selection.view),
    "heatmap": lambda page: heatmap_figure(page.analysis.trace, page.selection.view, page.survey),
    WHOLE: _whole,
    "headview": lambda page: head_view_figure(page.analysis.trace, page.selection.view),
    "text": lambda page: text_figure(
        page.analysis.trace, page.selection.view, page.selection.looking.query, page.selection.looking.key
    ),
    "querykey": _query_key,
    "headmap": lambda page: head_map_figure(page.analysis.trace, page.survey, page.selection.view),
}
