"""The path of a table from the first position to the last, in the three directions in which it varies most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.positions.measures import path
from core.positions.paths import FAR
from core.views.agreement_view_scale import NEUTRAL
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.position_axes import beside, note, plotted, scale, titles
from core.views.position_grid import ORDERED, every, left_out_words
from core.views.position_matrix import POSITION
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Table
    from core.positions.paths import Path

# The components across and up of each panel.
PANELS = ((0, 1), (0, 2), (1, 2))
# Of the width, between two panels.
GAP = 0.085
# Width of a panel, where its height is 1, at the narrowest; and the room around the path.
WIDE, ROOM = 0.95, 1.14
# Positions that are left out and named by number, at most.
MOST_NAMED = 4
# Points of a panel, at most.
MOST_POINTS = 512
SIZE, END_SIZE = 5, 11
LINE = "rgba(138, 143, 156, 0.5)"
# Pixels from an end of the path to its number.
AWAY = 15
# Behind these numbers: points lie all around them.
GROUND = "rgba(58, 60, 74, 0.86)"


def position_path_figure(table: Table, about: About) -> Figure:
    """Three panels on one scale, positions as points from violet to yellow, the first and the last one named.

    Rows that lie far from all others are left out: beside them the rest would be a dot. The caption tells them.
    """
    found = path(table)
    coordinates, explained = found.coordinates.detach().numpy(), found.explained.detach().numpy()  # (T, 3), (3,)
    near = np.flatnonzero(~found.far.numpy())
    drawn = near[every(len(near), MOST_POINTS)]
    if len(near):
        drawn = np.union1d(drawn, near[-1:])
    words = joined(
        [
            about.words,
            f"{len(coordinates):,} positions, centred",
            far_words(found),
            f"three principal components, {_percent(explained.sum())} of the variance; all panels on one scale",
            left_out_words((len(near), every(len(near), MOST_POINTS), POSITION)),
        ]
    )
    return from_plotly(
        name=figure_name(about, "path"),
        title="Path through three principal components",
        how_to="Follow the colours from the first position to the last: a smooth path keeps neighbours close, a loop "
        "brings far positions together. " + _caution(table),
        figure=_plot(coordinates, explained, drawn),
        caption=words,
        contents="Both hold the three coordinates of every position, also of those that are left out of the picture.",
        stem=file_stem("path", about),
        csv=lambda: _table(found, about),
        npz=lambda: npz_bytes(
            {"coordinates": coordinates, "explained": explained, "left_out": np.flatnonzero(found.far.numpy())}, words
        ),
    )


def far_words(found: Path) -> str:
    """Which positions are left out because they lie far from the mean, and how far: the farthest few by number."""
    far = np.flatnonzero(found.far.numpy())
    if not len(far):
        return ""
    times = found.distances.numpy()
    told = sorted(far[np.argsort(-times[far])][:MOST_NAMED].tolist())
    names = ", ".join(f"{at:,} ({times[at]:.3g} times)" for at in told)
    more = f" and {len(far) - len(told):,} more" if len(far) > len(told) else ""
    return (
        f"left out of components and picture: position{'s' if len(far) > 1 else ''} {names}{more}, farther from the "
        f"mean than {FAR:g} times the median distance"
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
    shown = coordinates[drawn].astype(np.float32)
    last = int(max(1, drawn.max(initial=1)))
    axes: dict[str, Any] = {}
    words: list[dict[str, Any]] = _ends(shown, drawn)
    # One unit is as long up as across, and as in the other panels: the widest and the tallest decide.
    reach = [
        max(float(np.ptp(shown[:, part])) if len(shown) else 0.0 for part in parts)
        for parts in zip(*PANELS, strict=True)
    ]
    unit = max(reach[0] / WIDE, reach[1], 1e-6) * ROOM
    for number, (across, up) in enumerate(PANELS):
        end = str(number + 1) if number else ""
        left = _domain(number)
        sides = [(_middle(shown[:, part]), half) for part, half in ((across, WIDE * unit / 2), (up, unit / 2))]
        (x, wide), (y, tall) = sides
        ticks: dict[str, Any] = dict(zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=0.6, nticks=5)
        axes[f"xaxis{end}"] = scale([x - wide, x + wide], domain=left, anchor=f"y{end}", **ticks)
        axes[f"yaxis{end}"] = scale(
            [y - tall, y + tall], anchor=f"x{end}", scaleanchor=f"x{end}", scaleratio=1, constrain="range", **ticks
        )
        below, over = (f"PC{part + 1} ({_percent(explained[part])})" for part in (across, up))
        words += titles(below, over, middle=sum(left) / 2, corner=left[0])
    traces = [_points(shown, drawn, last, number) for number in range(len(PANELS))]
    return plotted(traces, axes, words, right=beside([f"{last:,}"]))


def _middle(values: np.ndarray) -> float:
    return float(values.min() + values.max()) / 2 if len(values) else 0.0


def _domain(number: int) -> list[float]:
    width = (1 - GAP * (len(PANELS) - 1)) / len(PANELS)
    return [number * (width + GAP), number * (width + GAP) + width]


def _points(shown: np.ndarray, drawn: np.ndarray, last: int, number: int) -> dict[str, Any]:
    across, up = PANELS[number]
    end = str(number + 1) if number else ""
    ticks = sorted({0, last // 2, last})
    bar = dict(
        title=dict(text="position", side="right"), thickness=12, outlinewidth=0, tickvals=ticks, x=1, xpad=12,
        ypad=0, len=1,
    )  # fmt: skip
    sizes = np.full(len(shown), SIZE, np.uint8)
    sizes[[0, -1] if len(shown) else []] = END_SIZE
    return dict(
        type="scatter", x=shown[:, across], y=shown[:, up], xaxis=f"x{end}", yaxis=f"y{end}", mode="lines+markers",
        line=dict(color=LINE, width=0.8), customdata=drawn,
        marker=dict(
            size=sizes, opacity=1, color=drawn, colorscale=list(ORDERED), cmin=0, cmax=last, line=dict(width=0),
            showscale=number == 0, colorbar=bar,
        ),
        hovertemplate=f"position %{{customdata}}<br>PC{across + 1} %{{x:.3~f}}, PC{up + 1} %{{y:.3~f}}<extra></extra>",
    )  # fmt: skip


def _ends(shown: np.ndarray, drawn: np.ndarray) -> list[dict[str, Any]]:
    """The numbers of the first and the last position at their points, in each panel."""
    return [
        note(
            f"<b>{drawn[at]:,}</b>", float(shown[at, across]), float(shown[at, up]),
            xref=f"x{number + 1 if number else ''}", yref=f"y{number + 1 if number else ''}",
            xshift=AWAY if shown[at, across] > _middle(shown[:, across]) else -AWAY,
            yshift=AWAY if shown[at, up] > _middle(shown[:, up]) else -AWAY,
            font=dict(size=12, color="#ffffff"), bgcolor=GROUND, borderpad=2,
        )
        for number, (across, up) in enumerate(PANELS)
        for at in sorted({0, len(shown) - 1} if len(shown) else ())
    ]  # fmt: skip


def _table(found: Path, about: About) -> bytes:
    coordinates = found.coordinates.detach().numpy()
    count = len(coordinates)
    return csv_bytes(
        {
            "scheme": np.full(count, guarded(about.title), object),
            "source": np.full(count, guarded(about.source), object),
            "position": np.arange(count),
            **{f"pc{number + 1}": coordinates[:, number] for number in range(coordinates.shape[1])},
            "distance_in_medians": found.distances.numpy(),
            "left_out": found.far.numpy(),
        }
    )
