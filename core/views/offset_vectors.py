"""Learned vectors by offset: how long each is, and how like the one of a token itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import finite
from core.views.distance_bias import OFFSET, ZERO, both_sides, offset_axis, visible
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_axes import OVER, plotted, scale, titles
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import OffsetVectors
    from core.views.position_words import About

# Of the plot's height: the panel of norms, and the one of cosines below it.
UPPER, LOWER = 0.46, 0.4


@dataclass(frozen=True, eq=False)
class _Vectors:
    """By offset (N,): the row that is read, its norm, and its cosine with the row of offset 0, NaN of a zero vector."""

    offsets: np.ndarray
    rows: np.ndarray
    norms: np.ndarray
    cosines: np.ndarray
    starts: tuple[int, ...]


def offset_vectors_figure(vectors: OffsetVectors, about: About) -> Figure:
    """The norm of the vector of each offset, and its cosine with that of offset 0."""
    found = _by_offset(vectors)
    rows, width = vectors.values.shape
    words = joined(
        [
            about.words,
            f"{rows} vectors of {width} numbers",
            "norm: Euclidean length",
            "cosine with the vector of offset 0",
            "steps: offsets that read one vector",
            "later keys masked" if vectors.buckets.causal else "",
        ]
    )
    return from_plotly(
        name=figure_name(about, "offsets"),
        title="Vectors by offset",
        how_to="The longer the vector of an offset, the more it can change a score; a cosine near 1 says that it does "
        "so as the vector of the token itself does. What it adds depends on the query that it meets.",
        figure=_plot(found),
        caption=words,
        contents="Both hold row, norm and cosine of each offset; the archive has the vectors too.",
        stem=file_stem("offset-vectors", about),
        csv=lambda: csv_bytes(_columns(about, found)),
        npz=lambda: npz_bytes(_arrays(vectors, found), words),
    )


def _by_offset(vectors: OffsetVectors) -> _Vectors:
    values = vectors.values.detach().cpu().double().numpy()
    offsets, numbers = visible(vectors.buckets.numbers.detach().cpu().numpy(), vectors.buckets.causal)
    rows = numbers.astype(np.int64)
    read = values[rows]  # (rows, W) -> (N, W)
    norms = np.linalg.norm(read, axis=-1)  # (N, W) -> (N,)
    own = int(np.flatnonzero(offsets == 0)[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        cosines = read @ read[own] / (norms * norms[own])  # (N, W) @ (W,) -> (N,)
    return _Vectors(offsets, rows, norms, cosines, both_sides(vectors.buckets.starts, vectors.buckets.causal))


def _plot(found: _Vectors) -> PlotlyFigure:
    """Two panels over one axis of offsets."""
    top = float(np.nanmax(found.norms, initial=0.0)) or 1.0
    ticks: dict[str, Any] = dict(tickvals=[-1, 0, 1], ticktext=["−1", "0", "1"])
    axes = {
        "xaxis": offset_axis(found.offsets, found.starts) | dict(anchor="y2"),
        "yaxis": scale([0, 1.08 * top], domain=[1 - UPPER, 1], nticks=4),
        "yaxis2": scale([-1.08, 1.08], domain=[0, LOWER], **ZERO, **ticks),
    }
    lines = [
        _steps(found, found.norms, "norm", look_of(0).colour),
        _steps(found, found.cosines, "cosine", look_of(2).colour) | dict(yaxis="y2"),
    ]
    words = titles(OFFSET, "norm")
    *_, over = titles("", "cosine with the vector of offset 0")
    return plotted(lines, axes, [*words, over | dict(y=LOWER, yshift=OVER - 2)])


def _steps(found: _Vectors, values: np.ndarray, name: str, colour: str) -> dict[str, Any]:
    return dict(
        type="scatter", x=found.offsets, y=finite(values), customdata=found.rows, mode="lines", name=name,
        line=dict(color=colour, width=2.4, shape="hvh"),
        hovertemplate=f"offset %{{x}}, row %{{customdata}}<br>{name} %{{y:.3f}}<extra></extra>",
    )  # fmt: skip


def _columns(about: About, found: _Vectors) -> dict[str, object]:
    return {
        "scheme": [guarded(about.title)] * len(found.offsets),
        "source": [guarded(about.source)] * len(found.offsets),
        "offset": found.offsets,
        "row": found.rows,
        "norm": found.norms,
        "cosine_with_offset_0": found.cosines,
    }


def _arrays(vectors: OffsetVectors, found: _Vectors) -> dict[str, np.ndarray]:
    return {
        "offsets": found.offsets,
        "rows": found.rows,
        "norms": found.norms,
        "cosines": found.cosines,
        "vectors": vectors.values.detach().cpu().float().numpy(),
    }
