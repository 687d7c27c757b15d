"""Loss and attention entropy far beyond the length of training, of language models that differ only in positions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import BAND, NEUTRAL
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.line_ends import add_end_names
from core.views.model_lines import look_of
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

Ranges = Mapping[tuple[int, int], float]

HEIGHT, TOP, BOTTOM = 470, 24, 50
# Pixels right of the second panel for names, for a letter in talk mode and at least; between the panels, as a share of
# the width.
LETTER, NAMES, BETWEEN = 9.5, 90, 0.24
EVEN = "spread evenly"
RANGE = re.compile(r"(\d{1,9})(?:–(\d{1,9}))?")


@dataclass(frozen=True)
class Twin:
    """One of several models that are trained alike with different positions, and what it does by position.

    name    by which it is opened; title: as its lines are called
    loss    nats a token; entropy: of attention weights, nats; share: entropy over the logarithm of visible keys. Each
            by first and last position of a range, counted from 1; finite numbers
    """

    name: str
    title: str
    loss: Ranges
    entropy: Ranges
    share: Ranges


def twin_of(name: str, told: Mapping[str, Any], title: str = "") -> Twin | None:
    """A shipped model's training.json as a twin; None for models that were not measured, and for damaged files.

    title: what its lines are called; its scheme's name when "".
    """
    from core.training.evaluation.extrapolation import ENTROPY, LOSS, SHARE

    tables = _under(told, "tables")
    if not isinstance(tables, Mapping):
        return None
    found = [_ranges(tables.get(heading)) for heading in (LOSS, ENTROPY, SHARE)]
    return Twin(name, title or _scheme_of(told) or name, *found) if all(found) else None


def trained_length(told: Mapping[str, Any]) -> int | None:
    """Positions of the texts that a shipped model was trained on, from its training.json; None where it has none."""
    length = _under(told, "recipe", "data", "length")
    return length if type(length) is int and length > 0 else None


def _scheme_of(told: Mapping[str, Any]) -> str:
    """The title of the scheme that the model was built with, "" where there is none."""
    from core.positions.schemes import SCHEMES

    scheme = SCHEMES.get(str(_under(told, "recipe", "settings", "positions")))
    return scheme.title if scheme else ""


def _under(told: Any, *names: str) -> Any:
    for name in names:
        told = told.get(name) if isinstance(told, Mapping) else None
    return told


def _ranges(table: Any) -> dict[tuple[int, int], float]:
    """{"1–16": 3.6, …} by first and last position, rising; {} for what is no such table."""
    if not isinstance(table, Mapping):
        return {}
    found: dict[tuple[int, int], float] = {}
    for key, value in table.items():
        ends = RANGE.fullmatch(key) if isinstance(key, str) else None
        if ends is None or not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            return {}
        first = int(ends[1])
        last = int(ends[2] or first)
        if not 1 <= first <= last:
            return {}
        found[first, last] = float(value)
    return dict(sorted(found.items()))


def extrapolation_figure(rows: Sequence[Twin], trained: int, share: bool = False) -> Figure:
    """Loss, and attention entropy beside it, by position on one log axis, a line a twin in both.

    trained: positions of the texts in training; share: entropy as a share of the logarithm of visible keys, where 1 is
    attention spread evenly, in place of nats.
    """
    words = joined(
        [
            ", ".join(twin.name for twin in rows),
            f"trained alike on texts of {trained:,} tokens, but for their positions",
            "one training run each",
            _texts_words(rows),
            f"rows of the learned table beyond {trained:,} were never trained" if _is_learned(rows) else "",
            "loss: nats a token" if any(twin.loss for twin in rows) else "",
            "entropy: of attention weights, mean over heads and layers, "
            + ("as a share of ln of the number of visible keys" if share else "in nats"),
            "" if share else "dashed: weights spread evenly over all visible keys",
            "a point is a range of positions, at its geometric middle; logarithmic axis",
            "shaded: lengths of training",
        ]
    )
    return from_plotly(
        name="extrapolation",
        title="Beyond the length of training",
        how_to="Right of the shaded part, positions are farther than any in training. A scheme that extrapolates keeps "
        "its loss low there; where entropy rises as well, attention is spread over more and more keys.",
        figure=_plot(rows, trained, share),
        caption=words,
        contents="Both hold loss, entropy and its share of each model and range of positions.",
        stem="extrapolation",
        csv=lambda: csv_bytes(_columns(rows, trained)),
        npz=lambda: npz_bytes(_arrays(rows), words),
    )


def _texts_words(rows: Sequence[Twin]) -> str:
    """On what the loss was measured."""
    from core.training.evaluation.extrapolation import BLOCKS

    reach = max((end for twin in rows for _, end in twin.loss), default=0)
    of = f" of {reach:,} tokens" if reach else ""
    return f"measured on at most {BLOCKS} texts{of} that were not trained on, each read whole"


def _is_learned(rows: Sequence[Twin]) -> bool:
    from core.positions.schemes import SCHEMES

    return any(twin.title == SCHEMES["learned"].title for twin in rows)


def short_names(rows: Sequence[Twin]) -> list[str]:
    """Their titles without what stands in brackets, as long as all are told apart."""
    short = [twin.title.partition(" (")[0] for twin in rows]
    return short if len(set(short)) == len(short) else [twin.title for twin in rows]


def _plot(rows: Sequence[Twin], trained: int, share: bool) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    measures = ("loss", "share" if share else "entropy")
    titles = ["Loss (nats)", "Attention entropy (share of ln of visible keys)" if share else "Attention entropy (nats)"]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=BETWEEN)
    figure.update_annotations(font_size=13, yshift=2)
    figure.update_layout(
        height=HEIGHT, margin=dict(l=10, r=_room(rows), t=TOP, b=6), showlegend=False, hovermode="closest"
    )
    last = max((end for twin in rows for _, end in twin.loss), default=trained)
    for column, measure in enumerate(measures, 1):
        _add_training(figure, trained, column)
        for index, twin in enumerate(rows):
            figure.add_trace(_line(index, twin, getattr(twin, measure), measure), 1, column)
        even = math.log(max(last, 2)) if measure == "entropy" else None
        if even is not None:
            _add_even(figure, _first(rows), last)
        _name_ends(figure, rows, measure, column, even)
    powers = [2**power for power in range(int(math.log2(max(last, 2))) + 1)]
    ticks = powers[:: max(1, -(-len(powers) // 5))]
    figure.update_xaxes(
        title=dict(text="position (tokens)", standoff=8), type="log", range=[_log(_first(rows)) - 0.08, _log(last)],
        tickvals=sorted({*(tick for tick in ticks if not 0.6 < tick / trained < 1.7), trained}), tickformat=",",
        zeroline=False, automargin=True,
    )  # fmt: skip
    figure.update_yaxes(zeroline=False, automargin=True)
    return figure


def _room(rows: Sequence[Twin]) -> int:
    """Pixels that the longest name takes, with its sign."""
    longest = max(map(len, [*short_names(rows), EVEN]), default=0)
    return max(NAMES, 22 + round(LETTER * min(longest, 30)))


def _log(position: float) -> float:
    return math.log10(max(position, 1))


def _middle(ends: tuple[int, int]) -> float:
    return math.sqrt(ends[0] * ends[1])


def _first(rows: Sequence[Twin]) -> float:
    return min((_middle(ends) for twin in rows for ends in twin.loss), default=1.0)


def _line(index: int, twin: Twin, values: Ranges, measure: str) -> Any:
    import plotly.graph_objects as go

    look, title = look_of(index), escaped(twin.title)
    return go.Scatter(
        x=[_middle(ends) for ends in values], y=list(values.values()), name=title, mode="lines+markers",
        customdata=[f"{first:,} to {last:,}" for first, last in values],
        line=dict(color=look.colour, dash=look.dash, width=2.2),
        marker=dict(color=look.colour, symbol=look.symbol, size=6), legendgroup=str(index), cliponaxis=False,
        hovertemplate=f"{title}<br>positions %{{customdata}}: {measure} %{{y:.3f}}<extra></extra>",
    )  # fmt: skip


def _add_training(figure: PlotlyFigure, trained: int, column: int) -> None:
    number = "" if column == 1 else str(column)
    across = dict(xref=f"x{number}", yref=f"y{number} domain")
    figure.add_shape(
        type="rect", x0=1e-3, x1=trained + 0.5, y0=0, y1=1, fillcolor=BAND, line_width=0, layer="below", **across
    )
    edge = dict(color=NEUTRAL, width=1.2, dash="dot")
    figure.add_shape(type="line", x0=trained + 0.5, x1=trained + 0.5, y0=0, y1=1, line=edge, layer="below", **across)
    figure.add_annotation(
        text="training", x=_log(trained), y=1, xanchor="right", yanchor="top", xshift=-4, showarrow=False,
        align="right", font=dict(size=12, color=NEUTRAL), **across,
    )  # fmt: skip


def _add_even(figure: PlotlyFigure, first: float, last: float) -> None:
    """The entropy of weights that are spread evenly over the visible keys: the logarithm of their number."""
    import plotly.graph_objects as go

    places = np.geomspace(first, last, 24)
    figure.add_trace(
        go.Scatter(
            x=places, y=np.log(places), mode="lines", name=EVEN, line=dict(color=NEUTRAL, width=1.4, dash="dash"),
            hovertemplate=f"{EVEN}: %{{y:.3f}}<extra></extra>",
        ), 1, 2,
    )  # fmt: skip


def _name_ends(figure: PlotlyFigure, rows: Sequence[Twin], measure: str, column: int, even: float | None) -> None:
    """The name of each line at its right end; the axis is fixed, so that names stand where lines end."""
    told = [
        (index, name, list(getattr(twin, measure).values()))
        for index, (name, twin) in enumerate(zip(short_names(rows), rows, strict=True))
    ]
    names = [(name, look_of(index).colour, look_of(index).sign) for index, name, series in told if series]
    ends = [series[-1] for _, _, series in told if series]
    values = [value for _, _, series in told for value in series]
    if even is not None:
        names.append((EVEN, NEUTRAL, "–"))
        ends.append(even)
    if not values:
        return
    low, high = min(values), max([*values, *ends])
    room = 0.05 * ((high - low) or 1.0)
    # At the upper edge more, for the word in the shaded part.
    span = (low - room, high + 2 * room)
    figure.update_yaxes(range=list(span), row=1, col=column)
    add_end_names(figure, names, ends, span, HEIGHT - TOP - BOTTOM, 1.02, "" if column == 1 else str(column))


def _columns(rows: Sequence[Twin], trained: int) -> dict[str, object]:
    points = [(twin, ends) for twin in rows for ends in twin.loss]
    return {
        "model": [guarded(twin.name) for twin, _ in points],
        "positions": [guarded(twin.title) for twin, _ in points],
        "first_position": [first for _, (first, _) in points],
        "last_position": [last for _, (_, last) in points],
        "in_training": [last <= trained for _, (_, last) in points],
        "loss": [twin.loss[ends] for twin, ends in points],
        "entropy": [twin.entropy.get(ends, math.nan) for twin, ends in points],
        "entropy_share": [twin.share.get(ends, math.nan) for twin, ends in points],
    }


def _arrays(rows: Sequence[Twin]) -> dict[str, np.ndarray]:
    """Arrays of each model, its number at the end of their names."""
    arrays: dict[str, np.ndarray] = {"models": np.array([twin.name for twin in rows], np.str_)}
    for number, twin in enumerate(rows, 1):
        arrays[f"positions_{number}"] = np.array(list(twin.loss), np.int64).reshape(-1, 2)
        for name in ("loss", "entropy", "share"):
            values: Ranges = getattr(twin, name)
            arrays[f"{name}_{number}"] = np.array([values.get(ends, math.nan) for ends in twin.loss], np.float64)
    return arrays
