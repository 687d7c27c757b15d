"""The path of a table from the first position to the last, in the three directions in which it varies most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.positions.measures import path
from core.views.agreement_view_scale import NEUTRAL
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.position_grid import ORDERED, every, lay_out, left_out_words
from core.views.position_matrix import POSITION
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Table

# The components across and up of each panel.
PANELS = ((0, 1), (0, 2), (1, 2))
# Of the width, between two panels.
GAP = 0.085
HEIGHT = 320
# Points of a panel, at most.
MOST_POINTS = 512
SIZE, END_SIZE = 5, 11
LINE = "rgba(138, 143, 156, 0.5)"
# Pixels from an end of the path to its number.
AWAY = 15


def position_path_figure(table: Table, about: About) -> Figure:
    """Three panels on one scale, positions as points from violet to yellow, the first and the last one named."""
    found = path(table)
    coordinates, explained = found.coordinates.detach().numpy(), found.explained.detach().numpy()  # (T, 3), (3,)
    drawn = every(len(coordinates), MOST_POINTS)
    if len(coordinates):
        drawn = np.union1d(drawn, [len(coordinates) - 1])
    words = joined(
        [
            about.words,
            f"{len(coordinates):,} positions, centred",
            f"three principal components, {_percent(explained.sum())} of the variance; all panels on one scale",
            left_out_words((len(coordinates), drawn, POSITION)),
        ]
    )
    return from_plotly(
        name=figure_name(about, "path"),
        title=f"{about.title}: path through three principal components",
        how_to="Follow the colours from the first position to the last: a smooth path keeps neighbours close, a loop "
        "brings far positions together. " + _caution(table),
        figure=_plot(coordinates, explained, drawn),
        caption=words,
        contents="Both hold the three coordinates of every position.",
        stem=file_stem("path", about),
        csv=lambda: _table(coordinates, about),
        npz=lambda: npz_bytes({"coordinates": coordinates, "explained": explained}, words),
    )


def _caution(table: Table) -> str:
    if table.learned:
        return (
            "Three components are a part of the table only: read how much of the variance they hold before the shape."
        )
    return "Three of many waves are seen: a loop here is no place where the formula repeats itself."


def _percent(share: float) -> str:
    return f"{100 * float(share):.0f} %" if np.isfinite(share) else "–"


def _plot(coordinates: np.ndarray, explained: np.ndarray, drawn: np.ndarray) -> PlotlyFigure:
    import plotly.graph_objects as go

    last = max(1, len(coordinates) - 1)
    shown = coordinates[drawn].astype(np.float32)
    figure = go.Figure([_points(shown, drawn, last, number) for number in range(len(PANELS))])
    reach = 1.25 * float(np.abs(shown).max(initial=0.0)) or 1.0
    axes: dict[str, Any] = {}
    for number, (across, up) in enumerate(PANELS):
        end = str(number + 1) if number else ""
        axes[f"xaxis{end}"] = _axis(across, explained, reach) | dict(domain=_domain(number), anchor=f"y{end}")
        # One unit is as long up as across, and as in the other panels.
        axes[f"yaxis{end}"] = _axis(up, explained, reach) | dict(anchor=f"x{end}", scaleanchor=f"x{end}", scaleratio=1)
    figure.update_layout(**axes, annotations=_ends(shown, drawn))
    return lay_out(figure, HEIGHT)


def _domain(number: int) -> list[float]:
    width = (1 - GAP * (len(PANELS) - 1)) / len(PANELS)
    return [number * (width + GAP), number * (width + GAP) + width]


def _axis(component: int, explained: np.ndarray, reach: float) -> dict[str, Any]:
    share = _percent(explained[component]) if component < len(explained) else "–"
    return dict(
        title=dict(text=f"PC{component + 1} ({share})", standoff=6), range=[-reach, reach], constrain="domain",
        zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=0.6, automargin=True, nticks=5,
    )  # fmt: skip


def _points(shown: np.ndarray, drawn: np.ndarray, last: int, number: int) -> Any:
    import plotly.graph_objects as go

    across, up = PANELS[number]
    end = str(number + 1) if number else ""
    ticks = sorted({0, last // 2, last})
    bar = dict(title=dict(text="position", side="right"), thickness=12, outlinewidth=0, tickvals=ticks)
    sizes = np.full(len(shown), SIZE, np.uint8)
    sizes[[0, -1] if len(shown) else []] = END_SIZE
    return go.Scatter(
        x=shown[:, across], y=shown[:, up], xaxis=f"x{end}", yaxis=f"y{end}", mode="lines+markers",
        line=dict(color=LINE, width=0.8), customdata=drawn, cliponaxis=False,
        marker=dict(
            size=sizes, opacity=1, color=drawn, colorscale=list(ORDERED), cmin=0, cmax=last, line_width=0,
            showscale=number == 0, colorbar=bar,
        ),
        hovertemplate=f"position %{{customdata}}<br>PC{across + 1} %{{x:.3~f}}, PC{up + 1} %{{y:.3~f}}<extra></extra>",
    )  # fmt: skip


def _ends(shown: np.ndarray, drawn: np.ndarray) -> list[dict[str, Any]]:
    """The numbers of the first and the last position at their points, in each panel."""
    return [
        dict(
            text=f"<b>{drawn[at]:,}</b>", x=float(shown[at, across]), y=float(shown[at, up]),
            xref=f"x{number + 1 if number else ''}", yref=f"y{number + 1 if number else ''}", showarrow=False,
            xshift=AWAY if shown[at, across] > 0 else -AWAY, yshift=AWAY if shown[at, up] > 0 else -AWAY,
        )
        for number, (across, up) in enumerate(PANELS)
        for at in sorted({0, len(shown) - 1} if len(shown) else ())
    ]  # fmt: skip


def _table(coordinates: np.ndarray, about: About) -> bytes:
    count = len(coordinates)
    return csv_bytes(
        {
            "scheme": np.full(count, guarded(about.title), object),
            "source": np.full(count, guarded(about.source), object),
            "position": np.arange(count),
            **{f"pc{number + 1}": coordinates[:, number] for number in range(coordinates.shape[1])},
        }
    )
