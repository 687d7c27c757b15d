"""The numbers of a positional scheme themselves: its table, its angles, or what it adds between two positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import HeadlightError
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.position_grid import (
    Colours,
    angle_colours,
    axis,
    cells,
    coloured,
    every,
    every_pair,
    lay_out,
    left_out_words,
    mask,
    ordered_colours,
    signed_colours,
    wrapped,
)
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Thing

POSITION, QUERY, KEY, DIMENSION = "position", "query position", "key position", "dimension"
BETWEEN = (QUERY, KEY)
# Share of the numbers of a learned table that the colours spread over.
USUAL = 0.995


@dataclass(frozen=True, eq=False)
class Matrix:
    """What is drawn of a scheme's numbers.

    values      (rows, cols), only what is drawn
    rows, cols  which of `counts` these are
    axes        what rows and columns are, one word each, and their units
    unit        of a value; words: further ones of the caption
    """

    title: str
    how_to: str
    values: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    counts: tuple[int, int]
    axes: tuple[str, str]
    unit: str
    colours: Colours
    words: str = ""
    causal: bool = False


def position_matrix_figure(thing: Thing, about: About, length: int, head: int = 0) -> Figure:
    """The scheme's numbers as a heatmap, position 0 at the top.

    Table: positions by dimensions. Rotation: the angle of each pair, wrapped to (-π, π]. Bias and Buckets: query by
    key of one head. OffsetVectors: rows of the table by dimensions.
    length: positions that are shown, where the scheme has so many. Raises HeadlightError for a head that there is not.
    """
    found = matrix_of(thing, length, head)
    axes = [*zip(found.counts, (found.rows, found.cols), found.axes, strict=True)]
    between = found.axes == BETWEEN
    left_out = left_out_words((found.counts[0], found.rows, POSITION)) if between else left_out_words(*axes)
    words = joined([about.words, found.words, found.colours.words, left_out])
    return from_plotly(
        name=figure_name(about, "matrix"),
        title=f"{about.title}: {found.title}",
        how_to=found.how_to,
        figure=_plot(found),
        caption=words,
        contents="Both hold the number of every cell that is drawn, with its row and its column.",
        stem=file_stem("matrix", about),
        csv=lambda: matrix_table(found, about),
        npz=lambda: matrix_archive(found, words),
    )


def matrix_of(thing: Thing, length: int, head: int = 0) -> Matrix:
    """The numbers of a scheme that a heatmap shows."""
    if isinstance(thing, Table):
        return _table(thing, length)
    if isinstance(thing, Rotation):
        return _rotation(thing, length)
    if isinstance(thing, Bias):
        return _bias(thing, length, head)
    if isinstance(thing, Buckets):
        return _buckets(thing, length)
    return _offset_vectors(thing)


def _table(table: Table, length: int) -> Matrix:
    values = table.values.detach().numpy()[:length]
    rows, cols = every(len(values)), every_pair(values.shape[1])
    how_to = (
        "Look for smooth waves, stripes and rows that stand apart: training found them, no formula did. Rows near the "
        "end may have been reached by few texts and can be less trained than the table suggests."
        if table.learned
        else "Each row is the vector that is added to the token at that position: columns go from fast waves on the "
        "left to slow ones on the right, a sine and a cosine in turn. The right half hardly changes over a short text, "
        "so it is the left that tells neighbours apart."
    )
    shown = values[np.ix_(rows, cols)]
    return Matrix(
        "vectors of positions", how_to, shown, rows, cols, values.shape, (POSITION, DIMENSION), "value",
        signed_colours(shown, "value", _usual(shown) if table.learned else np.inf),
    )  # fmt: skip


def _usual(values: np.ndarray) -> float:
    """The magnitude that few of the numbers exceed: single large ones would leave all others pale."""
    found = np.abs(values[np.isfinite(values)])
    return float(np.quantile(found, USUAL)) if len(found) else np.inf


def _rotation(rotation: Rotation, length: int) -> Matrix:
    frequencies = rotation.frequencies.detach().numpy()
    rows, cols = every(length), every(len(frequencies))
    angles = wrapped(rows[:, None] * frequencies[None, cols])  # (T, 1) * (1, P) -> (T, P)
    left = rotation.width - 2 * len(frequencies)
    return Matrix(
        "angles by position",
        "Each column is a pair of coordinates of every query and key, turned by the angle of the row's position. A "
        "score only depends on the difference of two rows, and values are not turned at all.",
        angles, rows, cols, (length, len(frequencies)), (POSITION, "pair"), "radians", angle_colours(),
        joined(["angles wrapped to (−π, π]", f"{left} of {rotation.width} coordinates not turned" if left else ""]),
    )  # fmt: skip


def _bias(bias: Bias, length: int, head: int) -> Matrix:
    heads = len(bias.values)
    if not 0 <= head < heads:
        raise HeadlightError(f"There is no head {head} in this bias: choose one from 0 to {heads - 1}.")
    rows = every(length)
    values, beyond = _by_offset(bias.values[head].detach().numpy(), rows, bool(bias.starts))
    values = np.where((rows[None, :] > rows[:, None]) & bias.causal, np.nan, values)
    return Matrix(
        f"bias between positions, head {head}",
        "Each cell is what is added to the score of a query (row) and a key (column), the same along each diagonal. "
        "Only differences within a row count: a softmax makes a factor of e to the difference out of them.",
        values, rows, rows, (length, length), BETWEEN, "added to the score", signed_colours(values, "bias"),
        joined([f"head {head} of {heads}", "keys after the query masked" if bias.causal else "", beyond]), bias.causal,
    )  # fmt: skip


def _buckets(buckets: Buckets, length: int) -> Matrix:
    rows = every(length)
    values, _ = _by_offset(buckets.numbers.detach().numpy().astype(np.float32), rows, True)
    values = np.where((rows[None, :] > rows[:, None]) & buckets.causal, np.nan, values)
    return Matrix(
        "buckets between positions",
        "Cells of one colour read the same row of a learned table. Far offsets share a row, so a model cannot tell "
        "them apart, however long the text is.",
        values, rows, rows, (length, length), BETWEEN, "row", ordered_colours(values, "row of the table"),
        joined([f"{buckets.rows} rows", "keys after the query masked" if buckets.causal else ""]), buckets.causal,
    )  # fmt: skip


def _offset_vectors(vectors: OffsetVectors) -> Matrix:
    values = vectors.values.detach().numpy()
    rows, cols = every(len(values)), every(values.shape[1])
    shown = values[np.ix_(rows, cols)]
    return Matrix(
        "vectors of offsets",
        "Each row is the vector that one offset, or one group of them, is given. All offsets beyond the farthest that "
        "is held share the first row or the last one.",
        shown, rows, cols, values.shape, ("row of the table", DIMENSION), "value", signed_colours(shown, "value"),
    )  # fmt: skip


def _by_offset(values: np.ndarray, places: np.ndarray, last_goes_on: bool) -> tuple[np.ndarray, str]:
    """Values (2R + 1,) by offset, for each query (row) and key (column); and, where some are unknown, why.

    last_goes_on: whether what holds for the farthest offset holds beyond it.
    """
    farthest = len(values) // 2
    offsets = places[None, :] - places[:, None]  # (1, T) - (T, 1) -> (T, T)
    found = values[np.clip(offsets, -farthest, farthest) + farthest]
    unknown = np.abs(offsets) > farthest
    if last_goes_on or not unknown.any():
        return found, ""
    return np.where(unknown, np.nan, found), f"offsets beyond {farthest:,} not held, left empty"


def _plot(found: Matrix) -> PlotlyFigure:
    import plotly.graph_objects as go

    row, col = found.axes
    hover = f"{row} %{{y}}, {col} %{{x}}<br>{found.unit} %{{z:.4~f}}"
    figure = go.Figure(cells(found.values, found.rows, found.cols, hover, **coloured(found.colours)))
    figure.update_xaxes(**axis(col, found.counts[1]))
    figure.update_yaxes(**axis(row, found.counts[0], downward=True))
    if found.causal:
        mask(figure, found.rows)
    return lay_out(figure)


def matrix_table(found: Matrix, about: About) -> bytes:
    """One line a cell; cells without a number are left out."""
    down, across = np.nonzero(np.isfinite(found.values))
    count = len(down)
    row, col = (name.replace(" ", "_") for name in found.axes)
    return csv_bytes(
        {
            "scheme": np.full(count, guarded(about.title), object),
            "source": np.full(count, guarded(about.source), object),
            row: found.rows[down],
            col: found.cols[across],
            found.unit.replace(" ", "_"): found.values[down, across],
        }
    )


def matrix_archive(found: Matrix, words: str) -> bytes:
    """The cells, and which rows and columns they are."""
    return npz_bytes({"values": found.values, "rows": found.rows, "columns": found.cols}, words)
