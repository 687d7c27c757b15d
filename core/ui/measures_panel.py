"""The side panel: the measures of what is open, each beside its value under uniform attention."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from core.ui.talk import talking
from core.ui.words import small_print
from core.views import captions
from core.views.words import STREAM_WORDS

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Survey
    from core.views import View
    from core.views.captions import MeasureRow

HOW_TO = (
    "Beside each value stands that of a head that spreads its weight evenly over all tokens it may look at: “uniform”. "
    "Where there is room, a filled dot and a ring show the two on one scale. Point at a measure for what it means."
)


def measures_panel(trace: Trace, survey: Survey, view: View) -> None:
    """A card with a row a measure: value, uniform value, and both on one scale."""
    who = "this head" if view.head is not None else "mean over heads"
    rows = "".join(_row(row) for row in captions.measure_rows(trace, survey, view))
    with st.container(border=True, key="measures_card"):
        with st.container(horizontal=True, vertical_alignment="center", key="measures_head"):
            st.markdown("**Measures**", help=None if talking() else HOW_TO, width="content")
        st.html(
            f'<table class="headlight-measures"><thead><tr><th scope="col">measure</th><th scope="col">{who}</th>'
            f'<th scope="col">uniform</th><td></td></tr></thead><tbody>{rows}</tbody></table>'
        )
        small_print(_caption(trace, view), "caption")


def _row(row: MeasureRow) -> str:
    dots = (
        f'<div class="track" aria-hidden="true"><i class="ring" style="left:{100 * row.uniform_share:.1f}%"></i>'
        f'<i class="dot" style="left:{100 * row.share:.1f}%"></i></div>'
    )
    name = f'<span title="{escape(row.explanation)}" tabindex="0">{escape(row.name)}</span>'
    return (
        f'<tr><th scope="row">{name}</th><td class="number">{escape(row.value)}</td>'
        f'<td class="number uniform">{escape(row.uniform)}</td><td class="scale">{dots}</td></tr>'
    )


def _caption(trace: Trace, view: View) -> str:
    head = f"head {view.head}" if view.head is not None else "mean over heads"
    where = f"{STREAM_WORDS[view.stream]}, layer {view.layer}, {head}"
    return f"{trace.provenance.model} · {where} · all tokens counted, whatever is hidden in the maps"
