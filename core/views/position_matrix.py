"""The numbers of a positional scheme themselves: its table, its angles, or what it adds between two positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import HeadlightError
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.position_axes import in_panel, plotted, titles
from core.views.position_grid import (
    Colours,
    angle_colours,
    axis,
    bar,
    cells,
    coloured,
    every,
    every_pair,
    left_out_words,
    mask,
    ordered_colours,
    signed_colours,
    squared,
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

    values      (rows, cols), only what is drawn; whole: makes all of it
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
    whole: Callable[[], np.ndarray]
    words: str = ""
    causal: bool = False

    @property
    def is_square(self) -> bool:
        """Whether rows and columns are both positions."""
        return self.axes != (POSITION, "pair") and DIMENSION not in self.axes


def position_matrix_figure(thing: Thing, about: About, length: int, head: int = 0) -> Figure:
    """The scheme's numbers as a heatmap, position 0 at the top.

    Table: positions by dimensions. Rotation: the angle of each pair, wrapped to (-π, π]. Bias and Buckets: query by
    key of one head. OffsetVectors: rows of the table by dimensions.
    length: positions that are shown, where the scheme has so many. Raises HeadlightError for a head that there is not.
    """
    found = matrix_of(thing, length, head)
    axes = [*zip(found.counts, (found.rows, found.cols), found.axes, strict=True)]
    between = found.axes == BETWEEN
    left_out = left_out_words((*axes[0][:2], POSITION), square=True) if between else left_out_words(*axes)
    words = joined([about.words, found.words, found.colours.words, left_out])
    return from_plotly(
        name=figure_name(about, "matrix"),
        title=found.title,
        how_to=found.how_to,
        figure=_plot(found),
        caption=words,
        contents="Both hold every number, with its row and its column, also where fewer cells are drawn.",
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
    width = values.shape[1]
    rows, cols = every(len(values)), every(width) if table.halves else every_pair(width)
    shown = values[np.ix_(rows, cols)]
    return Matrix(
        "Vectors of positions", _how_to(table), shown, rows, cols, values.shape, (POSITION, DIMENSION), "value",
        signed_colours(values, "value", _usual(values) if table.learned else np.inf), lambda: values,
    )  # fmt: skip


def _how_to(table: Table) -> str:
    if table.learned:
        return (
            "Look for smooth waves, stripes and rows that stand apart: training found them, no formula did. Rows near "
            "the end may have been reached by few texts and can be less trained than the table suggests."
        )
    if table.halves:
        return (
            "Each row is the vector that is added to the token at that position: all sines in the left half, all "
            "cosines in the right one, each from fast waves to slow ones. The slow ones hardly change over a short "
            "text, so it is the left of each half that tells neighbours apart."
        )
    return (
        "Each row is the vector that is added to the token at that position: columns go from fast waves on the left to "
        "slow ones on the right, a sine and a cosine in turn. The right half hardly changes over a short text, so it "
        "is the left that tells neighbours apart."
    )


def _usual(values: np.ndarray) -> float:
    """The magnitude that few of the numbers exceed: single large ones would leave all others pale."""
    found = np.abs(values[np.isfinite(values)])
    return float(np.quantile(found, USUAL)) if len(found) else np.inf


def _rotation(rotation: Rotation, length: int) -> Matrix:
    frequencies = rotation.frequencies.detach().numpy()
    rows, cols = every(length), every(len(frequencies))

    def turned(rows: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
        return wrapped(rows[:, None] * frequencies[None, :])  # (T, 1) * (1, P) -> (T, P)

    left = rotation.width - 2 * len(frequencies)
    return Matrix(
        "Angles by position",
        "Each column is a pair of coordinates of every query and key, turned by the angle of the row's position. A "
        "score only depends on the difference of two rows, and values are not turned at all.",
        turned(rows, frequencies[cols]), rows, cols, (length, len(frequencies)), (POSITION, "pair"), "radians",
        angle_colours(), lambda: turned(np.arange(length), frequencies),
        joined(["angles wrapped to (−π, π]", f"{left} of {rotation.width} coordinates not turned" if left else ""]),
    )  # fmt: skip


def _bias(bias: Bias, length: int, head: int) -> Matrix:
    heads = len(bias.values)
    if not 0 <= head < heads:
        raise HeadlightError(f"There is no head {head} in this bias: choose one from 0 to {heads - 1}.")
    rows, held = every(length), bias.values[head].detach().numpy()

    def between(rows: np.ndarray) -> np.ndarray:
        return _by_offset(held, rows, bool(bias.starts), bias.causal)

    values, farthest = between(rows), len(held) // 2
    beyond = f"offsets beyond {farthest:,} not held, left empty" if length - 1 > farthest and not bias.starts else ""
    return Matrix(
        f"Bias between positions, head {head}",
        "Each cell is what is added to the score of a query (row) and a key (column), the same along each diagonal. "
        "Only differences within a row count: a softmax makes a factor of e to the difference out of them.",
        values, rows, rows, (length, length), BETWEEN, "added to the score", signed_colours(values, "bias"),
        lambda: between(np.arange(length)),
        joined([f"head {head} of {heads}", "keys after the query masked" if bias.causal else "", beyond]), bias.causal,
    )  # fmt: skip


def _buckets(buckets: Buckets, length: int) -> Matrix:
    rows, numbers = every(length), buckets.numbers.detach().numpy().astype(np.float32)

    def between(rows: np.ndarray) -> np.ndarray:
        return _by_offset(numbers, rows, True, buckets.causal)

    values = between(rows)
    return Matrix(
        "Buckets between positions",
        "Cells of one colour read the same row of a learned table. Far offsets share a row, so a model cannot tell "
        "them apart, however long the text is.",
        values, rows, rows, (length, length), BETWEEN, "row", ordered_colours(values, "row of the table"),
        lambda: between(np.arange(length)),
        joined([f"{buckets.rows} rows", "keys after the query masked" if buckets.causal else ""]), buckets.causal,
    )  # fmt: skip


def _offset_vectors(vectors: OffsetVectors) -> Matrix:
    values = vectors.values.detach().numpy()
    rows, cols = every(len(values)), every(values.shape[1])
    shown = values[np.ix_(rows, cols)]
    return Matrix(
        "Vectors of offsets",
        "Each row is the vector that one offset, or one group of them, is given. All offsets beyond the farthest that "
        "is held share the first row or the last one.",
        shown, rows, cols, values.shape, ("row of the table", DIMENSION), "value", signed_colours(values, "value"),
        lambda: values,
    )  # fmt: skip


def _by_offset(values: np.ndarray, places: np.ndarray, last_goes_on: bool, causal: bool) -> np.ndarray:
    """Values (2R + 1,) by offset, for each query (row) and key (column); NaN of what is unknown or masked.

    last_goes_on: whether what holds for the farthest offset holds beyond it.
    """
    farthest = len(values) // 2
    offsets = places[None, :] - places[:, None]  # (1, T) - (T, 1) -> (T, T)
    found = values[np.clip(offsets, -farthest, farthest) + farthest]
    unknown = (np.abs(offsets) > farthest) & (not last_goes_on)
    return np.where(unknown | ((offsets > 0) & causal), np.nan, found)


def _plot(found: Matrix) -> PlotlyFigure:
    row, col = found.axes
    hover = f"{row} %{{y}}, {col} %{{x}}<br>{found.unit} %{{z:.4~f}}"
    shapes, words = mask(found.rows) if found.causal else ([], [])
    return matrix_plot(found, hover, shapes, words)


def matrix_plot(
    found: Matrix, hover: str, shapes: Sequence[dict[str, Any]] = (), words: Sequence[dict[str, Any]] = ()
) -> PlotlyFigure:
    """The drawn cells with their colour bar. hover: what a cell says."""
    row, col = found.axes
    picture, told = bar(found.colours)
    axes = dict(xaxis=axis(found.counts[1]), yaxis=axis(found.counts[0], downward=True))
    if found.is_square:
        axes = {name: axes[name] | more for name, more in squared().items()}
    return plotted(
        [cells(found.values, found.rows, found.cols, hover, **coloured(found.colours))],
        axes,
        [*in_panel(titles(col, f"{row} ↓")), *words, *told],
        shapes,
        right=found.colours.room,
        images=[picture],
    )


def matrix_table(found: Matrix, about: About) -> bytes:
    """One line a cell, also of those that are not drawn; cells without a number are left out."""
    values = found.whole()
    down, across = np.nonzero(np.isfinite(values))
    count = len(down)
    row, col = (name.replace(" ", "_") for name in found.axes)
    return csv_bytes(
        {
            "scheme": np.full(count, guarded(about.title), object),
            "source": np.full(count, guarded(about.source), object),
            row: down,
            col: across,
            # No minus before a zero.
            found.unit.replace(" ", "_"): values[down, across] + 0.0,
        }
    )


def matrix_archive(found: Matrix, words: str) -> bytes:
    """Every cell, and which rows and columns are drawn."""
    return npz_bytes({"values": found.whole(), "drawn_rows": found.rows, "drawn_columns": found.cols}, words)
