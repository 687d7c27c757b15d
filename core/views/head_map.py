"""All heads of a stream as points: how far each looks and how spread out it looks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from core.heads import EVERY_TOKEN
from core.views.export import csv_bytes, exact_only, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.head_words import titles
from core.views.overview import measure_arrays, measure_columns
from core.views.plotly import escaped, from_plotly
from core.views.words import caption, file_stem

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.capture import Trace
    from core.heads import Survey
    from core.views.view import View

ACCENT = "#e65c10"
# From the first layer to the last: gets lighter all the way, and can be seen on white and on black.
LAYERS = ("#5a55d6", "#9a4fc4", "#d4538f", "#ea7f4d", "#e8b53a")


def head_map_figure(trace: Trace, survey: Survey, view: View) -> Figure:
    """Mean distance across and entropy up for every head; between two texts, the first token's weight across.

    What the view looks at is ringed; dotted lines show uniform attention in its layer.
    """
    layers, heads = survey.tiles.shape[:2]
    field, across = _across(survey)
    where = f"all {layers} × {heads} heads"
    ringed = f"layer {view.layer}" if view.head is None else f"layer {view.layer}, head {view.head}"
    how = f"ringed: {ringed}; dotted: uniform attention in its layer · measures count all tokens"
    words = caption(trace, survey.stream, where, how)
    data_words = caption(trace, survey.stream, where, "measures count all tokens")
    return from_plotly(
        name="headmap",
        title="Heads by what they do",
        how_to="Each point is a head: to the right those that look far, at the top those that spread their weight. "
        "Hover one for its measures, click it to open the head.",
        figure=_scatter(survey, view, field, across),
        caption=words,
        contents="Both hold the measures of each head, over all tokens and beside those of uniform attention.",
        stem=file_stem(trace, survey.stream, "head-map"),
        csv=exact_only(
            trace, lambda: csv_bytes({**source_columns(trace, survey.stream, EVERY_TOKEN), **measure_columns(survey)})
        ),
        npz=exact_only(trace, lambda: npz_bytes(measure_arrays(survey), data_words)),
    )


def _across(survey: Survey) -> tuple[str, str]:
    """The measure that goes across, and its title."""
    if math.isnan(survey.measures[0].uniform_distance):
        return "first", "weight on the first token"
    return "distance", "mean distance (tokens)"


def _scatter(survey: Survey, view: View, field: str, across: str) -> PlotlyFigure:
    import plotly.graph_objects as go

    points = [(layer, head) for layer, m in enumerate(survey.measures) for head in range(len(m.entropy))]
    named = [titles(measures, brief=False) for measures in survey.measures]
    hover = [
        f"<b>layer {layer}, head {head}</b><br>" + escaped(named[layer][head]).replace(" · ", "<br>")
        for layer, head in points
    ]
    ringed = [view.layer == layer and view.head in (None, head) for layer, head in points]
    uniform = survey.measures[view.layer]
    figure = go.Figure(
        go.Scatter(
            x=[float(getattr(survey.measures[layer], field)[head]) for layer, head in points],
            y=[float(survey.measures[layer].entropy[head]) for layer, head in points],
            mode="markers",
            customdata=points,
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
            marker=dict(
                size=[15 if ring else 10 for ring in ringed],
                color=[layer for layer, _ in points],
                colorscale=LAYERS,
                cmin=0,
                cmax=max(1, len(survey.measures) - 1),
                colorbar=dict(title=dict(text="layer", side="right"), thickness=12, **_layer_ticks(survey)),
                line=dict(
                    width=[3 if ring else 0.8 for ring in ringed],
                    color=[ACCENT if ring else "#8a8f9c" for ring in ringed],
                ),
            ),
        )
    )
    dotted: dict[str, Any] = dict(line_dash="dot", line_width=1.2, line_color="#8a8f9c")
    figure.add_hline(uniform.uniform_entropy, annotation_text="uniform", annotation_position="top left", **dotted)
    figure.add_vline(getattr(uniform, f"uniform_{field}"), **dotted)
    figure.update_layout(
        height=480, margin=dict(l=60, r=20, t=20, b=50), showlegend=False, hovermode="closest", clickmode="event+select"
    )
    figure.update_xaxes(title=across, rangemode="tozero")
    figure.update_yaxes(title="entropy (nats)", rangemode="tozero")
    return figure


def _layer_ticks(survey: Survey) -> dict[str, Any]:
    """Whole numbers only."""
    count = len(survey.measures)
    return dict(tickvals=list(range(0, count, -(-count // 12))))
