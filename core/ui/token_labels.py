"""A tagger's answer: the text with the marks that it writes, or the label of each token."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from core.ui.words import notes, small_print

if TYPE_CHECKING:
    from core.capture import Trace
    from core.models.reporting.report import LoadReport

# Of longer texts the first tokens stand in the card.
MOST_ROWS = 60


def show_token_labels(trace: Trace, report: LoadReport) -> None:
    """A card with what a tagger says of the text."""
    from core.models.token_labels import best_labels, marked_text  # brings torch along

    with st.container(border=True, key="answer_card", width=620):
        st.markdown("**The model's answer**")
        marked = marked_text(trace.tokens, trace.output)
        if marked is not None:
            st.html(f'<p class="headlight-written" dir="auto">{escape(marked)}</p>')
            what = "each token with the mark that it finds most probable"
        else:
            labelled = list(zip(trace.tokens.labels, best_labels(trace.output), strict=True))
            rows = "".join(_row(token, name, share) for token, (name, share) in labelled[:MOST_ROWS])
            st.html(f'<table class="headlight-shares">{rows}</table>')
            more = f", of the first {MOST_ROWS} of {len(labelled):,} tokens" if len(labelled) > MOST_ROWS else ""
            means_numbers = trace.output.function == "number"
            told = "label with the largest number" if means_numbers else "likeliest label, with its probability"
            what = f"for each token the {told}{more}"
        notes([(line.sentence, "warning") for line in report.lines() if line.severity == "warning"], key="answer_notes")
        small_print(" · ".join(filter(None, [trace.provenance.model, what, trace.provenance.remark])), "caption")


def _row(token: str, name: str, share: float) -> str:
    return (
        f'<tr><th scope="row"><bdi>{escape(token)}</bdi></th><td class="number">{share:.3f}</td>'
        f"<td><bdi>{escape(name)}</bdi></td></tr>"
    )
