"""How alike the vectors of any two positions are: dot products or cosines of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.errors import HeadlightError
from core.positions.measures import cosines, dot_products
from core.positions.objects import Table
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.position_grid import every, left_out_words, signed_colours
from core.views.position_matrix import POSITION, Matrix, matrix_archive, matrix_plot, matrix_table
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

KINDS = {"dot": "dot product", "cosine": "cosine"}


def position_similarity_figure(table: Table, about: About, kind: str, length: int) -> Figure:
    """Dot products ("dot") or cosines ("cosine") of any two of the first positions.

    Raises HeadlightError for another kind.
    """
    if kind not in KINDS:
        raise HeadlightError(f"There is no similarity called {kind}: choose one of {', '.join(KINDS)}.")
    found = _matrix(table, kind, length)
    count = found.counts[0]
    words = joined([about.words, f"{KINDS[kind]}s of {count:,} positions", found.words, found.colours.words])
    return from_plotly(
        name=figure_name(about, kind),
        title=found.title,
        how_to=found.how_to,
        figure=_plot(found),
        caption=words,
        contents=f"Both hold the {KINDS[kind]} of every two positions, also where fewer cells are drawn.",
        stem=file_stem(kind, about),
        csv=lambda: matrix_table(found, about),
        npz=lambda: matrix_archive(found, words),
    )


def _matrix(table: Table, kind: str, length: int) -> Matrix:
    count = min(length, len(table.values))
    rows = every(count)

    def products(rows: np.ndarray) -> np.ndarray:
        kept = Table(table.values[rows], table.learned)
        # float32 (T, D) -> (T, T)
        return np.asarray((dot_products(kept) if kind == "dot" else cosines(kept)).detach().numpy())

    values = products(rows)
    unit = KINDS[kind]
    zero = "a vector of zeros has no cosine: left empty" if not np.isfinite(values).all() else ""
    words = joined([left_out_words((count, rows, POSITION), square=True), zero])
    return Matrix(
        f"{unit.capitalize()}s of positions", _how_to(table, kind), values, rows, rows, (count, count),
        (POSITION, "other position"), unit, signed_colours(values, unit), lambda: products(np.arange(count)), words,
    )  # fmt: skip


def _how_to(table: Table, kind: str) -> str:
    if table.learned:
        return (
            "A bright band along the diagonal says that neighbours are alike; blocks and crosses are positions that "
            "training treats apart, often the first. Nothing makes the rows of a learned table equal but for a shift."
        )
    of = "dot product" if kind == "dot" else "cosine"
    return (
        f"Every row is the same curve, moved along: the {of} of a formula only depends on the offset (a Toeplitz "
        "matrix). It does not fall all the way: with few dimensions it rises again at some distances."
    )


def _plot(found: Matrix) -> PlotlyFigure:
    return matrix_plot(found, f"positions %{{y}} and %{{x}}<br>{found.unit} %{{z:.4~f}}")
