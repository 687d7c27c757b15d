"""Single dimensions of a positional scheme as curves over the position, one above the other on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import HeadlightError
from core.positions.objects import Rotation, Table
from core.views.curves_drawing import drawn_points
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_axes import HEIGHT, plotted, scale, titles
from core.views.position_grid import tick_step, wrapped
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Thing

# Points of a curve, at most; further ones are left out such that no peak is lost.
MOST_POINTS = 900
# Half of a curve's height, where from one to the next is 1; and the curves beyond which the figure grows, pixels each.
HALF = 0.4
MOST_ROWS, ROW = 10, 24
LINE = "rgba(138, 143, 156, 0.45)"


@dataclass(frozen=True, eq=False)
class Curves:
    """The dimensions that are drawn: (D, T) values, of `count` dimensions in all; pairs where they are angles.

    waves: what each is, "sine" or "cosine"; "" where it is neither
    """

    values: np.ndarray
    dims: tuple[int, ...]
    count: int
    angles: bool
    waves: tuple[str, ...]

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return "pair" if self.angles else "dimension"


def position_curves_figure(thing: Thing, about: About, length: int, dims: Sequence[int]) -> Figure:
    """The dimensions of a Table, or with a Rotation the wrapped angles of the pairs, of these numbers.

    Numbers that there are not are left out. Raises HeadlightError for a scheme that has no dimensions, and where none
    of the numbers is one.
    """
    found = curves_of(thing, length, dims)
    words = _caption(found, about)
    return from_plotly(
        name=figure_name(about, "curves"),
        title=f"Single {found.noun}s",
        how_to=_how_to(thing),
        figure=_plot(found),
        caption=words,
        contents=f"Both hold every {found.noun} that is drawn, at every position.",
        stem=file_stem("curves", about),
        csv=lambda: _export_table(found, about),
        npz=lambda: npz_bytes(
            {"values": found.values, f"{found.noun}s": np.array(found.dims), "positions": np.arange(_length(found))},
            words,
        ),
    )


def curves_of(thing: Thing, length: int, dims: Sequence[int]) -> Curves:
    """The curves that are drawn."""
    if isinstance(thing, Table):
        columns = thing.values.detach().numpy()[:length].T  # (T, D) -> (D, T)
        kept = _known(dims, len(columns))
        waves = tuple(_wave(thing, dim, len(columns)) for dim in kept)
        return Curves(columns[list(kept)], kept, len(columns), False, waves)
    if isinstance(thing, Rotation):
        frequencies = thing.frequencies.detach().numpy()
        kept = _known(dims, len(frequencies))
        turned = frequencies[list(kept), None] * np.arange(length)[None, :]  # (D, 1) * (1, T) -> (D, T)
        return Curves(wrapped(turned), kept, len(frequencies), True, ("",) * len(kept))
    raise HeadlightError("This scheme gives one number to an offset and has no dimensions: see it against distance.")


def _wave(table: Table, dim: int, count: int) -> str:
    """What a column of sinusoids is: sines and cosines in turn, or all sines first; "" of a learned table."""
    if table.learned:
        return ""
    is_sine = dim < -(-count // 2) if table.halves else dim % 2 == 0
    return "sine" if is_sine else "cosine"


def _known(dims: Sequence[int], count: int) -> tuple[int, ...]:
    """Those of the numbers that are among so many, each once."""
    kept = tuple(dict.fromkeys(dim for dim in dims if 0 <= dim < count))
    if not kept:
        raise HeadlightError(f"Choose at least one of the {count:,} dimensions, counted from 0.")
    return kept


def _how_to(thing: Thing) -> str:
    if isinstance(thing, Rotation):
        return (
            "Each line is the angle of one pair of coordinates, which jumps from π to −π after half a turn. Pairs that "
            "finish no turn within the training length meet angles beyond it that they never saw."
        )
    if isinstance(thing, Table) and thing.learned:
        return (
            "Each line is one column of the table from the first position to the last. Some models learn waves much "
            "like sinusoids, others steps or noise: nothing makes a learned column smooth."
        )
    apart = isinstance(thing, Table) and thing.halves
    which = "in the first half of the numbers" if apart else "at even numbers"
    return (
        f"Each line is one column of the matrix from the first position to the last, a sine {which} and a cosine "
        f"{'in the second' if apart else 'at odd ones'}. They are no binary counter: waves are smooth, and their "
        "lengths are no powers of two."
    )


def _caption(found: Curves, about: About) -> str:
    low, high = _ends(found)
    scale = "each from −π to π" if found.angles else f"all on one scale, {low:.3g} to {high:.3g}".replace("-", "−")
    thin = "points left out between peaks" if _length(found) > MOST_POINTS else ""
    dims = ", ".join(f"{dim} ({wave})" if wave else str(dim) for dim, wave in zip(found.dims, found.waves, strict=True))
    return joined([about.words, f"{found.noun}s {dims} of {found.count:,}", scale, thin])


def _length(found: Curves) -> int:
    return int(found.values.shape[1])


def _ends(found: Curves) -> tuple[float, float]:
    """The lower and upper end of every curve's axis: symmetric where values go to both sides."""
    if found.angles:
        return -np.pi, np.pi
    finite = found.values[np.isfinite(found.values)]
    top = float(np.abs(finite).max(initial=0.0)) or 1.0
    return (-top, top) if finite.min(initial=0.0) < 0 else (0.0, top)


def _plot(found: Curves) -> PlotlyFigure:
    """The curves on one axis, each moved to a line of its own: as many axes would take as many times as long."""
    count, length = len(found.dims), _length(found)
    low, high = _ends(found)
    last = max(length - 1, 1)
    numbers = [str(dim) for dim in found.dims]
    across = scale([-0.02 * last, 1.02 * last], tick0=0, dtick=tick_step(length), showgrid=True)
    # The line of each curve is its 0, from which its axis is named.
    zeros = [_moved(np.zeros(1), place, low, high)[0] for place in range(count)]
    up = scale([count - 0.5 + 0.04, -0.5 - 0.04], tickvals=zeros, ticktext=numbers, showgrid=True, gridcolor=LINE)
    ends = "−π to π" if found.angles else f"{_number(low)} to {_number(high)}"
    return plotted(
        [_line(found, place, low, high) for place in range(count)],
        dict(xaxis=across, yaxis=up),
        titles("position", f"{found.noun} (each from {ends})"),
        height=HEIGHT + ROW * max(0, count - MOST_ROWS),
    )


def _number(value: float) -> str:
    return f"{'−' if value < 0 else ''}{abs(value):.3g}"


def _moved(values: np.ndarray, place: int, low: float, high: float) -> np.ndarray:
    """Values where they are drawn: the middle between both ends is the number of their line, which go down."""
    return place - HALF * (2 * values - low - high) / (high - low)


def _line(found: Curves, place: int, low: float, high: float) -> dict[str, Any]:
    values = found.values[place].astype(np.float32)
    kept = drawn_points(values.tolist(), MOST_POINTS)
    x, y = kept.astype(np.float32), values[kept]
    if found.angles:
        # Half a turn later the angle starts over: no line is drawn through the jump.
        jumps = np.flatnonzero(np.abs(np.diff(y)) > np.pi) + 1
        x, y = np.insert(x, jumps, np.float32(np.nan)), np.insert(y, jumps, np.float32(np.nan))
    few = len(values) <= 40
    colour, wave = look_of(0).colour, f" ({found.waves[place]})" if found.waves[place] else ""
    return dict(
        type="scatter", x=x, y=_moved(y, place, low, high).astype(np.float32), customdata=y,
        mode="lines+markers" if few else "lines", line=dict(color=colour, width=1.8),
        marker=dict(color=colour, size=4),
        hovertemplate=f"{found.noun} {found.dims[place]}{wave}, position %{{x}}: %{{customdata:.4~f}}<extra></extra>",
    )  # fmt: skip


def _export_table(found: Curves, about: About) -> bytes:
    """One line a position, one column a dimension."""
    length = _length(found)
    return csv_bytes(
        {
            "scheme": np.full(length, guarded(about.title), object),
            "source": np.full(length, guarded(about.source), object),
            "position": np.arange(length),
            **{f"{found.noun}_{dim}": values + 0.0 for dim, values in zip(found.dims, found.values, strict=True)},
        }
    )
