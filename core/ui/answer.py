"""What the model answered: labels, spans or tokens with their probabilities, and the text that it wrote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from core.models.model import ANSWER_TOKENS
from core.ui.token_labels import show_token_labels
from core.ui.words import notes, small_print

if TYPE_CHECKING:
    from core.capture import Trace
    from core.models.reporting.report import LoadReport

TITLES = {
    "labels": "The model's answer",
    "next tokens": "What comes next",
    "span": "The answer in the text",
    "masked words": "In the place of the mask",
    "choices": "The model's choice",
}
# What the numbers beside labels are, by what was made of the logits.
LABELS = {
    "softmax": "the likeliest labels, with probability",
    "sigmoid": "the likeliest labels, each with its own probability (sigmoid): they do not sum to 1",
    "number": "a regression: the number itself, which is no probability",
}
WHAT = {
    "span": "the likeliest answers, with the probability of the start times that of the end",
    "choices": "each choice with its probability among them; the maps are those of the likeliest",
    "masked words": "the likeliest tokens in the place of the first mask, with probability",
}
# Of so many characters a name takes several lines, as a span of a text or a choice does.
LONG_NAME = 16
# So many characters of what it wrote are told in a line.
QUOTED = 120


def show_answer(trace: Trace, report: LoadReport) -> None:
    """A card with the likeliest answers; nothing for a model that gives none."""
    output = trace.output
    if output.kind == "token labels":
        show_token_labels(trace, report)
    if not output.likeliest:
        return
    with st.container(border=True, key="answer_card", width=620):
        if output.written is not None:
            st.markdown("**It wrote**")
            text = output.written or "(nothing but the token that ends a text)"
            st.html(f'<p class="headlight-written" dir="auto">{escape(text)}</p>')
        st.markdown(f"**{TITLES[output.kind]}**")
        # A number that is no probability is no part of a whole: it has no bar.
        largest = None if output.function == "number" else output.likeliest[0][1]
        rows = "".join(_row(name, share, largest) for name, share in output.likeliest)
        long = " long" if max(len(name) for name, _ in output.likeliest) > LONG_NAME else ""
        st.html(f'<table class="headlight-shares{long}">{rows}</table>')
        notes([(line.sentence, "warning") for line in report.lines() if line.severity == "warning"], key="answer_notes")
        parts = [trace.provenance.model, _what(trace), trace.provenance.remark]
        small_print(" · ".join(filter(None, parts)), "caption")


def wrote_lines(trace: Trace, most: int) -> list[tuple[str, str]]:
    """One line on what the model wrote, where it wrote: the sentence with its kind. most: tokens it was asked for."""
    written = trace.output.written
    if written is None:
        return []
    written = written.strip()
    if not written:
        return [("It wrote nothing but the token that ends a text.", "info")]
    quoted = written if len(written) <= QUOTED else f"{written[:QUOTED]}…"
    cut = " Its limit of tokens ended the text." if _is_cut(trace, most) else ""
    return [(f"It wrote “{quoted}”.{cut}", "info")]


def _is_cut(trace: Trace, most: int) -> bool:
    """Whether the limit ended the text, and not the model."""
    # It holds a start token and what was said, without the token that ends a text.
    said = trace.said
    if said is None:
        return not trace.tokens.special[-1]
    return said.dropped > 0 or len(said) > (most or ANSWER_TOKENS)


def _what(trace: Trace) -> str:
    if trace.output.kind in WHAT:
        return WHAT[trace.output.kind]
    if trace.output.kind == "labels":
        return LABELS[trace.output.function]
    written = ", the written ones included" if trace.output.written is not None else ""
    return f"the likeliest tokens after the last token that was read{written}, with probability"


def _row(name: str, share: float, largest: float | None) -> str:
    label = f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th>'
    if largest is None:
        return f'{label}<td class="number">{share:.5g}</td></tr>'
    bar = f'<div class="bar" style="width:{100 * share / largest:.1f}%"></div>'
    return f'{label}<td class="number">{share:.3f}</td><td>{bar}</td></tr>'
