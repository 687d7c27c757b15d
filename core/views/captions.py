"""The words around the figures of a page: under a figure, beside it, and above all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.heads import axis_of
from core.text import Note, notes_on
from core.views.head_words import MeasureRow, head_facts, measure_rows, measured
from core.views.picked import picked_line
from core.views.shown import LEFT_TO_RIGHT, NEXT, row_names
from core.views.words import STREAM_WORDS, caption, checked, file_stem, filter_words, head_name, place_words, within

if TYPE_CHECKING:
    from core.capture import Trace
    from core.views.view import View

__all__ = [
    "STREAM_WORDS",
    "MeasureRow",
    "caption",
    "checked",
    "file_stem",
    "filter_words",
    "head_facts",
    "head_name",
    "measure_rows",
    "measured",
    "picked_line",
    "place_words",
    "provenance_line",
    "reading_notes",
    "rows_line",
]


def provenance_line(trace: Trace, stream: str | None = None) -> str:
    """Where the numbers of a trace come from. stream: the one that is looked at; None for a model without attention."""
    p = trace.provenance
    parts = [p.model, f"weights {p.revision}", p.device, p.dtype, *_proof(trace, stream), p.remark]
    return " · ".join(filter(None, parts))


def _proof(trace: Trace, stream: str | None) -> list[str]:
    p = trace.provenance
    if stream is None:
        return []
    calls, worst = sum(check.calls for check in p.checks), max(check.error for check in p.checks)
    layers = "its attention layer" if calls == 1 else f"all {calls} attention layers"
    return [
        f"{trace.mask_name(stream)} attention through {p.backend}",
        f"checked in {layers}, every head: weights × values (A·V) give the model's output (O) "
        f"{within(worst)}" + (" of its largest value" if worst else ""),
    ]


def rows_line(trace: Trace, view: View, named: bool) -> str:
    """How to read the rows of a decoder's map, in a sentence; "" for other maps. named: whether the view names rows."""
    if not trace.followed(view.stream):
        return ""
    names = row_names(trace, view.stream, axis_of(trace, view.stream, "queries", view.filters)) if named else ()
    # The second row: the first has read the start token, which is the same in every text.
    example = names[min(1, len(names) - 1)] if names else ""
    read, arrow, following = example.removeprefix(LEFT_TO_RIGHT).partition(NEXT)
    if not arrow:
        return "A query is the token just read; with it the model predicts the next one."
    return f"In row “{example}” the model has read {read}, and {following} comes next."


def reading_notes(trace: Trace) -> tuple[Note, ...]:
    """What must be known about how the text was read, and a target that was cut."""
    notes = notes_on(trace.tokens)
    if trace.said is not None and trace.said.dropped:
        notes += notes_on(trace.said)
    return notes
