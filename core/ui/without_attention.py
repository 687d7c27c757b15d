"""What a page shows of a model without attention: one sentence, and the model's answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from streamlit.delta_generator import DeltaGenerator

from core.ui import talk
from core.ui.answer import show_answer, wrote_lines
from core.ui.model_report import model_report, report_warnings
from core.ui.words import notes, small_print
from core.views import captions

if TYPE_CHECKING:
    from core.ui.running import Analysis

SENTENCE = (
    "This model has no attention: all that it knows of the text is in the state that it carries from token to token. "
    "Choose a model with attention to see maps."
)


def show_without_attention(
    analysis: Analysis, heading: DeltaGenerator, about: DeltaGenerator, remarks: Iterable[str], most: int
) -> None:
    """Fill the page. remarks: what else is to be said; most: tokens that the model was asked to write."""
    heading.subheader("No attention", anchor=False, width="content")
    with about:
        model_report(analysis.card, analysis.report)
    trace = analysis.trace
    notes(
        [(SENTENCE, "info")]
        + wrote_lines(trace, most)
        + report_warnings(analysis.report)
        + [(sentence, "warning") for sentence in remarks]
        + [(found.sentence, "warning" if found.warning else "info") for found in captions.reading_notes(trace)]
    )
    show_answer(trace, analysis.report)
    if not talk.talking():
        small_print(captions.provenance_line(trace), "provenance")
