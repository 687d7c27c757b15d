"""All heads of a stream as points: how far away their weight lies, and how spread out it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.heads import EVERY_TOKEN
from core.views.export import csv_bytes, exact_only, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.head_words import titles
from core.views.overview import measure_arrays, measure_columns
from core.views.plotly import escaped, from_plotly
from core.views.words import caption, file_stem, text_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

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
    across = _across(survey)
    where = f"all {layers} × {heads} heads"
    ringed = f"layer {view.layer}" if view.head is None else f"layer {view.layer}, head {view.head}"
    held = " · ".join(filter(None, ["measures count all tokens", text_words(trace, survey.stream)]))
    words = caption(trace, survey.stream, where, f"ringed: {ringed}; dotted: uniform attention in its layer · {held}")
    data_words = caption(trace, survey.stream, where, held)
    return from_plotly(
        name="headmap",
        title=across.title,
        how_to=f"Each point is a head: to the right those {across.those}, at the top those whose weight is spread over "
        "more tokens. Hover one for its measures, click it to open the head.",
        figure=_scatter(survey, view, across),
        caption=words,
        contents="Both hold the measures of each head, over all tokens and beside those of uniform attention.",
        stem=file_stem(trace, survey.stream, "head-map"),
        csv=exact_only(
            trace, lambda: csv_bytes({**source_columns(trace, survey.stream, EVERY_TOKEN), **measure_columns(survey)})
        ),
        npz=exact_only(trace, lambda: npz_bytes(measure_arrays(survey), data_words)),
    )


@dataclass(frozen=True)
class _Across:
    """The measure that goes across. axis: its words there; those: the heads on the right."""

    field: str
    title: str
    axis: str
    those: str


_DISTANCE = _Across(
    "distance",
    "Heads by distance and entropy",
    "mean distance to the attended tokens (tokens)",
    "whose weight lies farther away",
)
_FIRST = _Across(
    "first",
    "Heads by weight on the first token and entropy",
    "weight on the first token",
    "with more weight on the first token",
)


def _across(survey: Survey) -> _Across:
    """Between two texts there are no distances."""
    return _FIRST if math.isnan(survey.measures[0].uniform_distance) else _DISTANCE


def _scatter(survey: Survey, view: View, across: _Across) -> PlotlyFigure:
    import plotly.graph_objects as go

    every = [(layer, head) for layer, m in enumerate(survey.measures) for head in range(len(m.entropy))]
    looked_at = [(layer, head) for layer, head in every if view.layer == layer and view.head in (None, head)]
    bar = dict(title=dict(text="layer", side="right"), thickness=12, **_layer_ticks(survey))
    uniform = survey.measures[view.layer]
    figure = go.Figure(
        [
            _points(survey, across, every, size=10, line=dict(width=0.8, color="#8a8f9c"), colorbar=bar),
            # After all others, so that no other head hides it.
            _points(survey, across, looked_at, size=15, line=dict(width=3, color=ACCENT), showscale=False),
        ]
    )
    dotted: dict[str, Any] = dict(line_dash="dot", line_width=1.2, line_color="#8a8f9c", layer="below")
    figure.add_hline(uniform.uniform_entropy, annotation_text="uniform", annotation_position="top left", **dotted)
    figure.add_vline(getattr(uniform, f"uniform_{across.field}"), **dotted)
    figure.update_layout(
        height=480, margin=dict(l=60, r=20, t=20, b=50), showlegend=False, hovermode="closest", clickmode="event+select"
    )
    # No line is drawn across the points that lie at zero.
    at_zero: dict[str, Any] = dict(rangemode="tozero", zeroline=False, layer="below traces")
    figure.update_xaxes(title=across.axis, **at_zero)
    figure.update_yaxes(title="entropy (nats)", **at_zero)
    return figure


def _points(survey: Survey, across: _Across, heads: list[tuple[int, int]], **marker: Any) -> Scatter:
    """Heads as points, coloured by their layer. heads: layer and head of each."""
    import plotly.graph_objects as go

    named = [titles(measures, brief=False) for measures in survey.measures]
    return go.Scatter(
        x=[float(getattr(survey.measures[layer], across.field)[head]) for layer, head in heads],
        y=[float(survey.measures[layer].entropy[head]) for layer, head in heads],
        mode="markers",
        cliponaxis=False,
        customdata=heads,
        hovertext=[
            f"<b>layer {layer}, head {head}</b><br>" + escaped(named[layer][head]).replace(" · ", "<br>")
            for layer, head in heads
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        # The ring tells what is open: a click must not fade the others.
        unselected=dict(marker=dict(opacity=1)),
        marker=dict(
            color=[layer for layer, _ in heads],
            colorscale=LAYERS,
            cmin=0,
            cmax=max(1, len(survey.measures) - 1),
            **marker,
        ),
    )


def _layer_ticks(survey: Survey) -> dict[str, Any]:
    """Whole numbers only."""
    count = len(survey.measures)
    return dict(tickvals=list(range(0, count, -(-count // 12))))
