"""The course of one or two training runs: loss, learning rate, gradient norm and accuracy over optimiser steps."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import escaped, from_plotly
from core.views.runs import (
    ACCURACY_WORDS,
    ALIGNMENT_WORDS,
    DEVELOPMENT,
    EvaluationLike,
    colour_of,
    dash_of,
    joined,
    run_words,
    stem_of,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

# Points of a drawn curve, at most; the tables have all.
MOST_POINTS = 400
MOST_TICKS = 6
LOSS, RATE, NORM, ACCURACY = (1, 1), (1, 2), (2, 1), (2, 2)
TITLES = (
    "Loss: training, development ●",
    "Learning rate",
    "Gradient norm before clipping",
    "Accuracy ●, gold alignment ◇",
)
STEP = "optimiser step"
# Characters of a line of a note.
LONGEST_LINE = 48


@dataclass(frozen=True)
class RunCurves:
    """One run, as long as it is so far; the four sequences of training have one value a step.

    loss            mean over the target tokens of the step, in nats
    gradient_norm   Euclidean, over all parameters, before clipping
    evaluations     what the development examples told, in the order of their steps
    about           network and settings, for the caption
    note            what befell the run, such as "not a number at step 120", told in the figure; "" for nothing
    total           steps that the run will have, so that its curves grow into a room that stays; None where unknown
    """

    label: str
    steps: Sequence[int]
    loss: Sequence[float]
    learning_rate: Sequence[float]
    gradient_norm: Sequence[float]
    evaluations: Sequence[EvaluationLike]
    about: str = ""
    note: str = ""
    total: int | None = None


def curves_figure(runs: Sequence[RunCurves], about: str = "") -> Figure:
    """The course of the runs, of which there can be none yet. about: task and data, for the caption."""
    words = _caption(runs, about)
    return from_plotly(
        name="curves",
        title="Loss, learning rate, gradient norm and accuracy",
        how_to="One point an optimiser step. Hover for exact values, drag to zoom, double-click to see everything "
        "again. Development examples are never trained on.",
        figure=_plot(runs),
        caption=words,
        contents="Both hold every optimiser step of every run, and what the development examples told.",
        stem=stem_of("curves", (run.label for run in runs)),
        csv=lambda: _table(runs),
        npz=lambda: _archive(runs, words),
    )


def drawn_points(values: Sequence[float], most: int = MOST_POINTS) -> np.ndarray:
    """The indices of the points that a curve is drawn with: both ends, and the extremes of each stretch between.

    So no peak is lost. Values that are not finite count as large, to be seen as gaps.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    seen = np.nan_to_num(np.asarray(values, np.float64), nan=np.inf)
    stretches = np.array_split(np.arange(1, count - 1), (most - 2) // 2)
    ends = [stretch[[seen[stretch].argmin(), seen[stretch].argmax()]] for stretch in stretches]
    return np.unique(np.concatenate([[0], *ends, [count - 1]]))


def log_ticks(values: Sequence[float]) -> list[float] | None:
    """Ticks 1, 2, 5 of each decade that the values span, of many decades only the first; None leaves them to Plotly."""
    found = [value for value in values if value > 0 and math.isfinite(value)]
    if not found:
        return None
    decades = range(math.floor(math.log10(min(found))), math.floor(math.log10(max(found))) + 1)
    fine, coarse = ([float(f"{d}e{power}") for power in decades for d in digits] for digits in ((1, 2, 5), (1,)))
    seen, few = ([tick for tick in ticks if min(found) <= tick <= max(found)] for ticks in (fine, coarse))
    ticks = seen if len(seen) <= MOST_TICKS else few
    return ticks if len(ticks) > 1 else None


def _caption(runs: Sequence[RunCurves], about: str) -> str:
    evaluated = any(run.evaluations for run in runs)
    parts = [
        *(run_words(run.label, run.about) for run in runs),
        about,
        "training loss: mean over the target tokens of one step, in nats" if any(run.steps for run in runs) else "",
        f"{DEVELOPMENT} · {ACCURACY_WORDS}" if evaluated else "",
        ALIGNMENT_WORDS if any(e.alignment is not None for run in runs for e in run.evaluations) else "",
        f"drawn with at most {MOST_POINTS} points a curve, extremes kept"
        if any(len(run.steps) > MOST_POINTS for run in runs)
        else "",
        *(f"{run.label}: {run.note}" for run in runs if run.note),
    ]
    return joined(parts)


def _plot(runs: Sequence[RunCurves]) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    figure = make_subplots(
        2, 2, shared_xaxes="all", subplot_titles=TITLES, horizontal_spacing=0.09, vertical_spacing=0.15
    )
    for index, run in enumerate(runs):
        _add_run(figure, index, run)
    figure.update_annotations(font_size=13)
    _note(figure, runs)
    figure.update_layout(
        height=520,
        margin=dict(l=10, r=10, t=56, b=10),
        hovermode="x unified",
        legend=dict(orientation="h", x=0, xanchor="left", y=1.07, yanchor="bottom", groupclick="togglegroup"),
    )
    _lay_axes(figure, runs)
    return figure


def _add_run(figure: PlotlyFigure, index: int, run: RunCurves) -> None:
    for place, values, name in (
        (LOSS, run.loss, "training"),
        (RATE, run.learning_rate, "learning rate"),
        (NORM, run.gradient_norm, "gradient norm"),
    ):
        kept = drawn_points(values)
        points = [(run.steps[i], values[i]) for i in kept]
        figure.add_trace(_curve(index, run.label, name, points, width=1.2), *place)
    tests = run.evaluations
    for place, name, symbol, width, points in (
        (LOSS, "development", "circle", 2.4, [(test.step, test.loss) for test in tests]),
        (ACCURACY, "token accuracy", "circle", 2.4, [(test.step, test.token_accuracy) for test in tests]),
        (ACCURACY, "gold alignment", "diamond-open", 1.6, [(test.step, test.alignment) for test in tests]),
    ):
        figure.add_trace(_curve(index, run.label, name, points, width, symbol), *place)


def _curve(
    index: int, label: str, name: str, points: Sequence[tuple[int, float | None]], width: float, symbol: str = ""
) -> Scatter:
    """One line of one run. symbol: of its markers, if it has any; a line of a single point is seen by its marker."""
    import plotly.graph_objects as go

    size = 8 if symbol else 7 if len(points) == 1 else 0
    marker = dict(symbol=symbol or "circle", size=size, color=colour_of(index))
    return go.Scatter(
        x=[step for step, _ in points],
        y=[_finite(value) for _, value in points],
        name=escaped(label),
        mode="lines+markers" if size else "lines",
        line=dict(color=colour_of(index), dash=dash_of(index), width=width),
        marker={**marker, "line": dict(width=1.6, color=colour_of(index))},
        legendgroup=str(index),
        showlegend=name == "token accuracy",
        cliponaxis=False,
        hovertemplate=f"{escaped(label)}, {name}, step %{{x:,d}}: %{{y:.4~g}}<extra></extra>",
    )


def _lay_axes(figure: PlotlyFigure, runs: Sequence[RunCurves]) -> None:
    """Steps from 0 to the planned end; shares from 0 to 1; a logarithm for the norm, which spans decades."""
    last = max(
        (run.total or max([*run.steps, *(e.step for e in run.evaluations)], default=0) for run in runs), default=0
    )
    figure.update_xaxes(range=[-0.01 * max(last, 1), 1.02 * max(last, 1)], zeroline=False, automargin=True)
    figure.update_xaxes(unifiedhovertitle_text=f"near {STEP} %{{x:,d}}")
    for row, col in (NORM, ACCURACY):
        figure.update_xaxes(title=dict(text=STEP, standoff=12), row=row, col=col)
    figure.update_yaxes(zeroline=False, automargin=True)
    if not any(run.steps for run in runs):
        # Without a point an axis would make up its numbers.
        for row, col in (RATE, NORM):
            figure.update_yaxes(showticklabels=False, row=row, col=col)
    figure.update_yaxes(rangemode="tozero", row=LOSS[0], col=LOSS[1])
    figure.update_yaxes(rangemode="tozero", tickformat="~g", row=RATE[0], col=RATE[1])
    ticks = log_ticks([norm for run in runs for norm in run.gradient_norm])
    figure.update_yaxes(type="log", tickvals=ticks, tickformat="~g", row=NORM[0], col=NORM[1])
    figure.update_yaxes(range=[-0.03, 1.05], tickvals=[0, 0.25, 0.5, 0.75, 1], row=ACCURACY[0], col=ACCURACY[1])


def _note(figure: PlotlyFigure, runs: Sequence[RunCurves]) -> None:
    """What befell a run stands in the panel of the loss, in the run's colour; so does that there is nothing yet."""
    told = [(f"{run.label}: {run.note}", colour_of(index)) for index, run in enumerate(runs) if run.note]
    if not any(run.steps or run.evaluations for run in runs):
        told.append(("The first point comes with the first step.", "#8a8f9c"))
    line = 0
    for text, colour in told:
        lines = textwrap.wrap(text, LONGEST_LINE)
        figure.add_annotation(
            text="<br>".join(map(escaped, lines)),
            x=1,
            y=1,
            yshift=-17 * line,
            xref="x domain",
            yref="y domain",
            xanchor="right",
            yanchor="top",
            align="right",
            showarrow=False,
            font=dict(color=colour, size=13),
        )
        line += len(lines)


def _finite(value: float | None) -> float | None:
    """A gap where there is no number."""
    return float(value) if value is not None and math.isfinite(value) else None


def _table(runs: Sequence[RunCurves]) -> bytes:
    """One line a step of a run; a step without training, such as the evaluation before the first, has a line too."""
    rows: list[dict[str, Any]] = []
    for run in runs:
        lines: dict[int, dict[str, Any]] = {}
        training = zip(run.steps, run.loss, run.learning_rate, run.gradient_norm, strict=True)
        for step, loss, rate, norm in training:
            lines[step] = {"training_loss": loss, "learning_rate": rate, "gradient_norm": norm}
        for test in run.evaluations:
            lines.setdefault(test.step, {}).update(
                development_loss=test.loss,
                token_accuracy=test.token_accuracy,
                sequence_accuracy=test.sequence_accuracy,
                gold_alignment=test.alignment,
            )
        rows += [{"run": guarded(run.label), "step": step, **lines[step]} for step in sorted(lines)]
    names = (
        "run", "step", "training_loss", "learning_rate", "gradient_norm",
        "development_loss", "token_accuracy", "sequence_accuracy", "gold_alignment",
    )  # fmt: skip
    return csv_bytes({name: [row.get(name) for row in rows] for name in names})


def _archive(runs: Sequence[RunCurves], words: str) -> bytes:
    """Arrays of each run, its number at the end of their names."""
    arrays: dict[str, np.ndarray] = {"labels": np.array([run.label for run in runs], np.str_)}
    for number, run in enumerate(runs, 1):
        tests = run.evaluations
        columns: dict[str, Any] = {
            "steps": np.array(run.steps, np.int64),
            "loss": np.array(run.loss, np.float64),
            "learning_rate": np.array(run.learning_rate, np.float64),
            "gradient_norm": np.array(run.gradient_norm, np.float64),
            "development_steps": np.array([test.step for test in tests], np.int64),
            "development_loss": np.array([test.loss for test in tests], np.float64),
            "token_accuracy": np.array([test.token_accuracy for test in tests], np.float64),
            "sequence_accuracy": np.array([test.sequence_accuracy for test in tests], np.float64),
            "gold_alignment": np.array([math.nan if e.alignment is None else e.alignment for e in tests], np.float64),
        }
        arrays |= {f"{name}_{number}": column for name, column in columns.items()}
    return npz_bytes(arrays, words)
