"""What a scheme makes of distance: one number for each offset, of one scheme or of two on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import NEUTRAL
from core.views.curves_drawing import drawn_points
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.keys import LINE_HEIGHT, Key
from core.views.model_lines import look_of
from core.views.plotly import escaped, from_plotly
from core.views.position_axes import OVER, drawn_key, plotted, scale, titles
from core.views.position_grid import tick_step
from core.views.position_words import About, figure_name, file_stem, names_beside
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import ByDistance

WIDTH = 2.4
# Of the plot's width, where the keys of two curves begin; more of them stand one over the other.
PLACES = (0.3, 0.66)
MOST_POINTS = 900
# How strongly the band between the smallest and the largest value is filled.
BAND_OPACITY = 0.18
# A band that is nowhere wider is rounding.
THINNEST = 1e-5
UNITS = {
    "similarity": "similarity (1 at offset 0)",
    "effect": "e^bias (1 at offset 0)",
    "bias": "added to the score",
    "bucket": "row of the table",
    "weight": "attention weight",
    "score": "score before the softmax",
}
# Of a table or turns the one, of a bias the other.
MIXED = "similarity, or e^bias"


@dataclass(frozen=True, eq=False)
class Decay:
    """A curve in the window that is shown: (N,) each; low and high where several numbers share an offset."""

    name: str
    offsets: np.ndarray
    values: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None
    heads: int
    what: str


def position_decay_figure(curves: Sequence[tuple[About, ByDistance]], reach: int) -> Figure:
    """Curves against the offset, the key's position minus the query's, up to `reach` to both sides.

    A scheme that only looks back has no right side. The band reaches from the smallest to the largest number of an
    offset: over positions where the curve says so, over heads where it has several. Raises ValueError without a curve.
    """
    if not curves:
        raise ValueError("a figure of decay needs a curve")
    abouts = [about for about, _ in curves]
    found = [_in_window(name, curve, reach) for name, (_, curve) in zip(names_beside(abouts), curves, strict=True)]
    words = _caption(abouts, found, reach)
    what = f"{'bias' if _unit(found) == UNITS['bias'] else 'decay'} with distance"
    title = f"{' and '.join(dict.fromkeys(about.title for about in abouts))}: {what}"
    return from_plotly(
        name=figure_name(abouts[0], "decay"),
        title=title if len(abouts) > 1 else what.capitalize(),
        how_to="At offset 0 a token looks at itself; follow the line outwards to see what distance costs before any "
        "word is read. Trained queries and keys can raise what falls here: a scheme's decay is no guarantee.",
        figure=_plot(found, reach),
        caption=words,
        contents="Both hold the number of every offset that is drawn, with its smallest and largest where there is a "
        "band.",
        stem=file_stem("decay", *abouts),
        csv=lambda: _table(abouts, found),
        npz=lambda: _archive(found, words),
    )


def _in_window(name: str, curve: ByDistance, reach: int) -> Decay:
    offsets, values = curve.offsets.detach().numpy(), curve.values.detach().numpy()  # (N,), (H, N)
    shown = np.abs(offsets) <= reach
    values = values[:, shown]
    low, high = (None if end is None else end.detach().numpy()[shown] for end in (curve.low, curve.high))
    if len(values) > 1:
        low, high = values.min(axis=0), values.max(axis=0)  # (H, N) -> (N,)
    if low is None or high is None or not (high - low > THINNEST).any():
        low = high = None
    return Decay(name, offsets[shown], values.mean(axis=0), low, high, len(values), curve.what)


def _unit(found: Sequence[Decay]) -> str:
    kinds = {each.what for each in found}
    return UNITS.get(found[0].what, found[0].what) if len(kinds) == 1 else MIXED


def _caption(abouts: Sequence[About], found: Sequence[Decay], reach: int) -> str:
    return joined(
        [
            *(about.words for about in abouts),
            _unit(found),
            f"offsets up to {reach:,}: key position minus query position",
            *(dict.fromkeys(_band_words(each) for each in found)),
            "keys after the query masked" if all(_looks_back(each) for each in found) else "",
        ]
    )


def _band_words(each: Decay) -> str:
    if each.heads > 1:
        return f"line: mean of {each.heads} heads, band: smallest to largest"
    return "line: mean over positions, band: smallest to largest" if each.low is not None else ""


def _looks_back(each: Decay) -> bool:
    return bool((each.offsets <= 0).all())


def _plot(found: Sequence[Decay], reach: int) -> PlotlyFigure:
    bands = [trace for index, each in enumerate(found) if each.low is not None for trace in _band(index, each)]
    lines = [_line(index, each) for index, each in enumerate(found)]
    named = found if len(found) > 1 else []
    beside = len(named) == len(PLACES)
    keys = [
        drawn_key(
            Key(each.name, look_of(index).colour, WIDTH, look_of(index).dash),
            PLACES[index] if beside else 0,
            OVER if beside else OVER + (len(named) - index) * LINE_HEIGHT,
        )
        for index, each in enumerate(named)
    ]
    right = 0 if all(_looks_back(each) for each in found) else reach
    room = 0.02 * max(reach, 1)
    zero: dict[str, Any] = dict(zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=0.8)
    steps = dict(tick0=0, dtick=tick_step(reach + right + 1), tickformat=",~d")
    return plotted(
        [*bands, *lines],
        dict(xaxis=scale([-reach - room, right + room], **zero, **steps), yaxis=scale(_ends(found), **zero, nticks=7)),
        [*titles("offset (key − query, positions)", _unit(found)), *(words for _, words in keys)],
        [shape for shape, _ in keys],
        more_top=0 if beside else LINE_HEIGHT * len(named),
        hovermode="x",
    )


def _ends(found: Sequence[Decay]) -> list[float]:
    """The ends of the upright axis: 0 among them, and some room where values go beyond it."""
    edges = [end for each in found for end in (each.values, each.low, each.high) if end is not None]
    low, high = (float(np.nanmin([*map(np.min, edges), 0.0])), float(np.nanmax([*map(np.max, edges), 0.0])))
    room = 0.05 * ((high - low) or 1.0)
    return [low - room if low < 0 else 0.0, high + room if high > 0 or low == 0 else 0.0]


def _band(index: int, each: Decay) -> list[dict[str, Any]]:
    """The lower edge, and the upper one filled down to it."""
    kept = drawn_points(each.values.tolist(), MOST_POINTS)
    red, green, blue = (int(look_of(index).colour[at : at + 2], 16) for at in (1, 3, 5))
    edge: dict[str, Any] = dict(
        type="scatter", x=each.offsets[kept], mode="lines", line=dict(width=0), hoverinfo="skip"
    )  # fmt: skip
    fill = f"rgba({red}, {green}, {blue}, {BAND_OPACITY})"
    low, high = (np.asarray(end, np.float32)[kept] for end in (each.low, each.high))
    return [dict(y=low, **edge), dict(y=high, fill="tonexty", fillcolor=fill, **edge)]


def _line(index: int, each: Decay) -> dict[str, Any]:
    kept = drawn_points(each.values.tolist(), MOST_POINTS)
    look = look_of(index)
    return dict(
        type="scatter", x=each.offsets[kept], y=each.values[kept].astype(np.float32), mode="lines",
        name=escaped(each.name),
        line=dict(color=look.colour, dash=look.dash, width=WIDTH, shape="hv" if each.what == "bucket" else "linear"),
        hovertemplate=f"{escaped(each.name)}, offset %{{x}}: %{{y:.4~f}}<extra></extra>",
    )  # fmt: skip


def _table(abouts: Sequence[About], found: Sequence[Decay]) -> bytes:
    """One line a curve and offset."""
    counts = [len(each.offsets) for each in found]
    empty = [np.full(count, np.nan) for count in counts]
    edges = {
        name: [nothing if end is None else end for end, nothing in zip(ends, empty, strict=True)]
        for name, ends in (("smallest", [each.low for each in found]), ("largest", [each.high for each in found]))
    }
    return csv_bytes(
        {
            "scheme": np.repeat(np.array([guarded(about.title) for about in abouts], object), counts),
            "source": np.repeat(np.array([guarded(about.source) for about in abouts], object), counts),
            "measure": np.repeat(np.array([each.what for each in found], object), counts),
            "offset": np.concatenate([each.offsets for each in found]),
            # No minus before a zero.
            "value": np.concatenate([each.values for each in found]) + 0.0,
            **{name: np.concatenate(ends) for name, ends in edges.items()},
        }
    )


def _archive(found: Sequence[Decay], words: str) -> bytes:
    """Arrays of each curve, its number at the end of their names."""
    arrays = {"labels": label_array([each.name for each in found])}
    for number, each in enumerate(found, 1):
        arrays |= {f"offsets_{number}": each.offsets, f"values_{number}": each.values}
        if each.low is not None and each.high is not None:
            arrays |= {f"smallest_{number}": each.low, f"largest_{number}": each.high}
    return npz_bytes(arrays, words)
