"""Accuracy by length of the source: what a bottleneck costs, and what lengths that were never trained on ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.keys import LINE_HEIGHT, Key, add_key
from core.views.plotly import escaped, from_plotly
from core.views.runs import (
    ACCURACY_WORDS,
    ALIGNMENT_WORDS,
    EvaluationLike,
    colour_of,
    dash_of,
    joined,
    stem_of,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

Run = tuple[str, Mapping[int, EvaluationLike]]
UNSEEN = "rgba(138, 143, 156, 0.16)"
WIDTH = 2.4
ACCURACY, ALIGNMENT = "Token accuracy", "Gold alignment"


def lengths_figure(runs: Sequence[Run], trained_to: int, about: str = "") -> Figure:
    """Accuracy and gold alignment of each run by source length.

    runs: label, and by source length in tokens what the examples of that length told, nothing for a run that only
    keeps its colour; trained_to: the longest source in training; about: task and data, for the caption.
    """
    aligned = _has_alignment(runs)
    words = joined(
        [
            about,
            "examples that were not trained on",
            ACCURACY_WORDS,
            ALIGNMENT_WORDS if aligned else "",
            f"shaded, unseen: longer than the {trained_to} tokens of the longest source in training"
            if any(length > trained_to for _, found in runs for length in found)
            else "",
        ]
    )
    return from_plotly(
        name="lengths",
        title="Token accuracy by source length",
        how_to="Each point is one length of the source text. A model without attention must hold the whole source in "
        "one vector, and loses more the longer it gets. Sources longer than any in training are hard for every model.",
        figure=_plot(runs, trained_to, aligned),
        caption=words,
        contents="The CSV table and the NumPy archive hold token accuracy, sequence accuracy, loss and gold alignment "
        "of each length.",
        stem=stem_of("lengths", (about, *(label for label, found in runs if found))),
        csv=lambda: _table(runs, trained_to),
        npz=lambda: _archive(runs, words),
    )


def _has_alignment(runs: Sequence[Run]) -> bool:
    return any(test.alignment is not None for _, found in runs for test in found.values())


def _plot(runs: Sequence[Run], trained_to: int, aligned: bool) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    titles = [ACCURACY, ALIGNMENT][: 1 + aligned]
    figure = make_subplots(1, len(titles), shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.06)
    for index, (label, found) in enumerate(runs):
        if not found:
            continue
        lengths = sorted(found)
        accuracy = {length: found[length].token_accuracy for length in lengths}
        figure.add_trace(_line(index, label, accuracy, ACCURACY), 1, 1)
        alignment = {length: share for length in lengths if (share := found[length].alignment) is not None}
        if alignment:
            figure.add_trace(_line(index, label, alignment, ALIGNMENT), 1, 2)
    lengths = sorted({length for _, found in runs for length in found})
    end = max(lengths, default=trained_to) + 1
    if lengths and lengths[-1] > trained_to:
        figure.add_vrect(
            trained_to + 0.5, end, fillcolor=UNSEEN, line_width=0, layer="below", row=1, col="all",
            annotation_text="unseen", annotation_position="top", annotation_font_size=12,
        )  # fmt: skip
    figure.update_annotations(font_size=13)
    tested = [(index, label) for index, (label, found) in enumerate(runs) if found]
    for line, (index, label) in enumerate(reversed(tested)):
        add_key(figure, Key(label, colour_of(index), WIDTH, dash_of(index)), 0, 1, (line + 1.9) * LINE_HEIGHT)
    figure.update_layout(
        height=330,
        margin=dict(l=10, r=10, t=34 + LINE_HEIGHT * max(1, len(tested)), b=10),
        hovermode="x unified",
        showlegend=False,
    )
    figure.update_xaxes(
        title=dict(text="source length (tokens)", standoff=14),
        range=[min(lengths, default=0) - 1, end],
        tickvals=lengths,
        zeroline=False,
        automargin=True,
        unifiedhovertitle_text="%{x} tokens",
    )
    # Room for the word over the lines, which are at 1 for the best of models.
    figure.update_yaxes(range=[-0.03, 1.2], tickvals=[0, 0.25, 0.5, 0.75, 1], zeroline=False, automargin=True)
    return figure


def _line(index: int, label: str, shares: Mapping[int, float], measure: str) -> Scatter:
    import plotly.graph_objects as go

    symbol = "circle" if measure == ACCURACY else "diamond-open"
    return go.Scatter(
        x=list(shares),
        y=[float(share) if math.isfinite(share) else None for share in shares.values()],
        name=escaped(label),
        mode="lines+markers",
        line=dict(color=colour_of(index), dash=dash_of(index), width=WIDTH),
        marker=dict(color=colour_of(index), symbol=symbol, size=9, line=dict(width=1.6, color=colour_of(index))),
        legendgroup=str(index),
        cliponaxis=False,
        hovertemplate=f"{escaped(label)}, {measure.lower()}: %{{y:.3f}}<extra></extra>",
    )


def _table(runs: Sequence[Run], trained_to: int) -> bytes:
    rows: list[dict[str, Any]] = [
        {
            "run": guarded(label),
            "source_length": length,
            "in_training": length <= trained_to,
            "token_accuracy": test.token_accuracy,
            "sequence_accuracy": test.sequence_accuracy,
            "loss": test.loss,
            "gold_alignment": test.alignment,
        }
        for label, found in runs
        for length, test in sorted(found.items())
    ]
    names = (
        "run", "source_length", "in_training", "token_accuracy", "sequence_accuracy", "loss", "gold_alignment",
    )  # fmt: skip
    return csv_bytes({name: [row[name] for row in rows] for name in names})


def _archive(runs: Sequence[Run], words: str) -> bytes:
    arrays: dict[str, np.ndarray] = {"labels": np.array([label for label, _ in runs], np.str_)}
    for number, (_, found) in enumerate(runs, 1):
        tests = [found[length] for length in sorted(found)]
        arrays |= {
            f"source_length_{number}": np.array(sorted(found), np.int64),
            f"token_accuracy_{number}": np.array([test.token_accuracy for test in tests], np.float64),
            f"sequence_accuracy_{number}": np.array([test.sequence_accuracy for test in tests], np.float64),
            f"loss_{number}": np.array([test.loss for test in tests], np.float64),
            f"gold_alignment_{number}": np.array(
                [math.nan if test.alignment is None else test.alignment for test in tests], np.float64
            ),
        }
    return npz_bytes(arrays, words)
