"""What the model answered: labels or next tokens with their probabilities, and the text that it wrote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from core.ui.words import notes, small_print

if TYPE_CHECKING:
    from core.capture import Trace
    from core.models.report import LoadReport

TITLES = {"labels": "The model's answer", "next tokens": "What comes next"}


def show_answer(trace: Trace, report: LoadReport) -> None:
    """A card with the likeliest labels or next tokens; nothing for a model that gives no such answer."""
    output = trace.output
    if not output.likeliest:
        return
    with st.container(border=True, key="answer_card", width=620):
        if output.written is not None:
            st.markdown("**It wrote**")
            text = output.written or "(nothing but the token that ends a text)"
            st.html(f'<p class="headlight-written" dir="auto">{escape(text)}</p>')
        st.markdown(f"**{TITLES[output.kind]}**")
        largest = output.likeliest[0][1]
        rows = "".join(_row(name, share, largest) for name, share in output.likeliest)
        st.html(f'<table class="headlight-shares">{rows}</table>')
        notes([(line.sentence, "warning") for line in report.lines() if line.severity == "warning"], key="answer_notes")
        what = "labels" if output.kind == "labels" else "tokens after the last one that was read"
        parts = [trace.provenance.model, f"the likeliest {what}, with probability", trace.provenance.remark]
        small_print(" · ".join(filter(None, parts)), "caption")


def _row(name: str, share: float, largest: float) -> str:
    return (
        f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th><td class="number">{share:.3f}</td>'
        f'<td><div class="bar" style="width:{100 * share / largest:.1f}%"></div></td></tr>'
    )
