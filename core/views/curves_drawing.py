"""How the curves of training are drawn: four panels over optimiser steps, and what tells the curves apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.views.keys import LINE_HEIGHT, Key, add_key, add_title
from core.views.plotly import escaped
from core.views.runs import colour_of, dash_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

    from core.views.curves import RunCurves

# Points of a drawn curve, at most; the tables have all.
MOST_POINTS = 400
MOST_TICKS = 6
LOSS, RATE, NORM, ACCURACY = (1, 1), (1, 2), (2, 1), (2, 2)
# Training is thin, and pale where the development examples have a curve in the same panel.
THIN, STRONG, PALE = 1.2, 2.4, 0.6
NEUTRAL = "#8a8f9c"
TRAINING, DEVELOPED, TOKENS, ALIGNED = "training", "development", "token accuracy", "gold alignment"
# What stands over each panel, from above: keys where it has several kinds of curves.
HEADS: dict[tuple[int, int], tuple[Key | str, ...]] = {
    LOSS: (
        Key(f"{TRAINING} loss", NEUTRAL, THIN, opacity=0.8),
        Key(f"{DEVELOPED} loss", NEUTRAL, STRONG, symbol="circle"),
    ),
    RATE: ("learning rate",),
    NORM: ("gradient norm before clipping", "(log axis)"),
    ACCURACY: (
        Key(TOKENS, NEUTRAL, STRONG, symbol="circle"),
        Key(ALIGNED, NEUTRAL, 1.6, symbol="diamond-open"),
    ),
}
# Pixels from a panel's upper end to the middle of the line over it.
OVER_PANEL = 14
STEP = "optimiser step"
# Characters of a line of a note.
LONGEST_LINE = 48


def curves_plot(runs: Sequence[RunCurves]) -> PlotlyFigure:
    """The runs as a Plotly figure; there can be none yet."""
    from plotly.subplots import make_subplots

    figure = make_subplots(2, 2, shared_xaxes="all", horizontal_spacing=0.11, vertical_spacing=0.17)
    for index, run in enumerate(runs):
        _add_run(figure, index, run)
    _lay_keys(figure, runs)
    _note(figure, runs)
    figure.update_layout(
        height=520,
        margin=dict(l=10, r=10, t=50 + LINE_HEIGHT * max(1, len(runs)), b=10),
        hovermode="x unified",
        showlegend=False,
    )
    _lay_axes(figure, runs)
    return figure


def _add_run(figure: PlotlyFigure, index: int, run: RunCurves) -> None:
    for place, values, name in (
        (LOSS, run.loss, TRAINING),
        (RATE, run.learning_rate, "learning rate"),
        (NORM, run.gradient_norm, "gradient norm"),
    ):
        kept = drawn_points(values)
        points = [(run.steps[i], values[i]) for i in kept]
        figure.add_trace(_curve(index, run.label, name, points, THIN), *place)
    tests = run.evaluations
    for place, name, symbol, width, points in (
        (LOSS, DEVELOPED, "circle", STRONG, [(test.step, test.loss) for test in tests]),
        (ACCURACY, TOKENS, "circle", STRONG, [(test.step, test.token_accuracy) for test in tests]),
        (ACCURACY, ALIGNED, "diamond-open", 1.6, [(test.step, test.alignment) for test in tests]),
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
        opacity=PALE if name == TRAINING else 1,
        legendgroup=str(index),
        cliponaxis=False,
        hovertemplate=f"{escaped(label)}, {name}, step %{{x:,d}}: %{{y:.4~g}}<extra></extra>",
    )


def _lay_keys(figure: PlotlyFigure, runs: Sequence[RunCurves]) -> None:
    """What the colours and kinds of lines mean: the runs at the top, and over each panel what is drawn in it."""
    for place, heads in HEADS.items():
        panel = figure.get_subplot(*place)
        corner = panel.xaxis.domain[0], panel.yaxis.domain[1]
        for line, head in enumerate(reversed(heads)):
            up = OVER_PANEL + line * LINE_HEIGHT
            if isinstance(head, Key):
                add_key(figure, head, *corner, up)
            else:
                add_title(figure, head, *corner, up)
    for line, (index, run) in enumerate(reversed(list(enumerate(runs)))):
        key = Key(run.label, colour_of(index), STRONG, dash_of(index))
        add_key(figure, key, 0, 1, OVER_PANEL + (2.3 + line) * LINE_HEIGHT)


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
        told.append(("The first point comes with the first step.", NEUTRAL))
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
