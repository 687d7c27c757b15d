"""What is added to a score by distance, a line a head; or which row of a learned table an offset reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.positions.objects import Buckets
from core.views.agreement_view_scale import NEUTRAL, signed
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.head_family import drawn_heads, few_words, head_keys, head_line
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_axes import note, plotted, scale, titles
from core.views.position_grid import tick_step
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Bias
    from core.views.position_words import About

OFFSET = "offset (key − query)"
ZERO = dict(zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=1)
# A weight falls to a hundredth where the bias is this; the axis ends at three times it.
HUNDREDTH = -float(np.log(100))
LOWEST = 3 * HUNDREDTH
TICKS = ["0", "−ln 100", "−9.2", "−13.8"]
# Labels along half of the axis, at most: ticks nearer than this share of it have none.
APART = 0.075


@dataclass(frozen=True, eq=False)
class _Lines:
    """What is drawn: offsets (N,), and a row of values for each head, float64 (H, N).

    starts: offsets at which a bucket begins, () without buckets
    windows: (H,) distance before the query of -ln 100, None without slopes
    """

    offsets: np.ndarray
    values: np.ndarray
    starts: tuple[int, ...]
    windows: np.ndarray | None
    causal: bool


def bias_by_distance_figure(
    thing: Bias | Buckets, about: About, heads: Sequence[int] | None = None, head: int | None = None
) -> Figure:
    """Bias by offset, a line a head; of buckets without a table, the row that each offset reads.

    heads: those that are drawn, all when None; head: the one that is drawn strong. Heads that there are not are left
    out. Buckets have no heads.
    """
    return _rows_figure(thing, about) if isinstance(thing, Buckets) else _bias_figure(thing, about, heads, head)


def _bias_figure(bias: Bias, about: About, heads: Sequence[int] | None, head: int | None) -> Figure:
    lines = _lines_of(bias)
    count = len(lines.values)
    asked = tuple(each for each in (range(count) if heads is None else heads) if 0 <= each < count)
    chosen = head if head is not None and head in asked else None
    drawn = drawn_heads(asked, chosen)
    words = _caption(about, lines, drawn, chosen, count)
    return from_plotly(
        name=figure_name(about, "bias"),
        title="Bias by distance",
        how_to="Each line is a head: what it adds to a score before softmax, by the key's position minus the query's. "
        "A bias of −ln 100 divides a weight by a hundred, so beyond it a head hardly sees.",
        figure=_plot(lines, drawn, chosen),
        caption=words,
        contents="Both hold the bias of every head at every offset.",
        stem=file_stem("bias", about),
        csv=lambda: csv_bytes(_bias_columns(about, lines)),
        npz=lambda: npz_bytes(_arrays(lines), words),
    )


def _lines_of(bias: Bias) -> _Lines:
    from core.positions.measures import window

    offsets, values = visible(bias.values.detach().cpu().double().numpy(), bias.causal)
    windows = None if bias.slopes is None else window(bias.slopes).detach().cpu().double().numpy()
    return _Lines(offsets, values, both_sides(bias.starts, bias.causal), windows, bias.causal)


def visible(values: np.ndarray, causal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of what is held (..., 2R + 1), and the values; without those after the query where they are masked."""
    reach = values.shape[-1] // 2
    offsets = np.arange(-reach, reach + 1)
    return (offsets[: reach + 1], values[..., : reach + 1]) if causal else (offsets, values)


def both_sides(starts: Sequence[int], causal: bool) -> tuple[int, ...]:
    """Offsets at which buckets begin. starts: their smallest distances."""
    back = [-start for start in starts]
    return tuple(sorted({*back, *([] if causal else starts)}))


def _caption(about: About, lines: _Lines, drawn: tuple[int, ...], chosen: int | None, count: int) -> str:
    reach = f"offsets from {signed(float(lines.offsets[0]), 0)} to {lines.offsets[-1]}"
    return joined(
        [
            about.words,
            f"{count} head{'s' if count > 1 else ''}",
            f"strong: head {chosen}" if chosen is not None else "",
            few_words(len(drawn), count),
            _window_words(lines, chosen),
            f"ticks where a bucket begins: {len(lines.starts)}" if lines.starts else "",
            reach + (", later keys masked" if lines.causal else ""),
            "the axis ends at −3 ln 100" if lines.values.min(initial=0.0) < LOWEST else "",
        ]
    )


def _window_words(lines: _Lines, chosen: int | None) -> str:
    """Where the bias is -ln 100, of the chosen head or of the nearest and the farthest."""
    if lines.windows is None or not len(lines.windows):
        return ""
    if chosen is not None:
        before = _distance(lines.windows[chosen])
        after = crossing(lines.offsets, lines.values[chosen], 1)
        other = f" before the query, {_distance(after)} after it" if after is not None else ""
        return f"window (bias of −ln 100) of head {chosen}: {before}{other}"
    ends = (float(lines.windows.min()), float(lines.windows.max()))
    return f"windows (bias of −ln 100) from {_distance(ends[0])} to {_distance(ends[1])}"


def _distance(value: float) -> str:
    return f"{value:,.1f} positions" if value < 100 else f"{value:,.0f} positions"


def _plot(lines: _Lines, drawn: tuple[int, ...], chosen: int | None) -> PlotlyFigure:
    count = len(lines.values)
    shown = lines.values[list(drawn)]
    low = max(float(shown.min(initial=0.0)), LOWEST)
    high = float(shown.max(initial=0.0))
    room = 0.06 * ((high - low) or 1.0)
    order = sorted(drawn, key=lambda each: each == chosen)
    traces = [_line(lines, head, head_line(head, count, chosen)) for head in order]
    keys = head_keys(drawn, count, chosen)
    shapes, ticks = [shape for shape, _ in keys], {}
    if lines.windows is not None and low <= HUNDREDTH:
        dots = dict(color=NEUTRAL, width=1.3, dash="dot")
        across = dict(x0=0, x1=1, xref="paper", y0=HUNDREDTH, y1=HUNDREDTH, yref="y")
        shapes.append(dict(type="line", line=dots, layer="below", **across))
        traces.append(_windows(lines, drawn, chosen))
        ticks = dict(tickvals=[0, HUNDREDTH, 2 * HUNDREDTH, LOWEST], ticktext=TICKS)
    axes = dict(xaxis=offset_axis(lines.offsets, lines.starts), yaxis=scale([low - room, high + room], **ZERO, **ticks))
    words = [*titles(OFFSET, "added to the score"), *(name for _, name in keys)]
    return plotted(traces, axes, words, shapes)


def _line(lines: _Lines, head: int, style: dict[str, Any]) -> dict[str, Any]:
    style["line"] = {**style["line"], "shape": "hvh" if lines.starts else "linear"}
    return dict(
        type="scatter", x=lines.offsets, y=lines.values[head].astype(np.float32), mode="lines", name=f"head {head}",
        hovertemplate=f"head {head}<br>offset %{{x}}: %{{y:.4~g}}<extra></extra>", **style,
    )  # fmt: skip


def _windows(lines: _Lines, drawn: tuple[int, ...], chosen: int | None) -> dict[str, Any]:
    """A point on each head's line wherever it crosses -ln 100: later keys may cost less than earlier ones."""
    count = len(lines.values)
    places = [(head, side, crossing(lines.offsets, lines.values[head], side)) for side in (-1, 1) for head in drawn]
    found = [(head, side * away) for head, side, away in places if away is not None]
    heads = [head for head, _ in found]
    colours = [head_line(head, count, chosen)["line"]["color"] for head in heads]
    return dict(
        type="scatter", x=[at for _, at in found], y=[HUNDREDTH] * len(found), mode="markers", customdata=heads,
        marker=dict(size=[10 if head == chosen else 7 for head in heads], color=colours),
        hovertemplate="head %{customdata}<br>a hundredth at %{x:.1f}<extra></extra>",
    )  # fmt: skip


def crossing(offsets: np.ndarray, values: np.ndarray, side: int) -> float | None:
    """The distance before the query (side -1) or after it (1) at which the line falls to -ln 100; None where it never.

    offsets, values: (N,) each. Between two offsets the line is straight.
    """
    there = np.flatnonzero(offsets * side >= 0)[::side]
    away, height = np.abs(offsets[there]), values[there]
    below = np.flatnonzero(height <= HUNDREDTH)
    if not len(below):
        return None
    at = int(below[0])
    if at == 0:
        return float(away[0])
    share = (height[at - 1] - HUNDREDTH) / (height[at - 1] - height[at])
    return float(away[at - 1] + share * (away[at] - away[at - 1]))


def offset_axis(offsets: np.ndarray, starts: Sequence[int]) -> dict[str, Any]:
    """The axis of offsets, with ticks where buckets begin."""
    low, high = float(offsets[0]), float(offsets[-1])
    ticks: dict[str, Any] = dict(tick0=0, dtick=tick_step(int(high - low) + 1))
    if starts:
        places = [start for start in starts if low <= start <= high]
        ticks = dict(tickvals=places, ticktext=tick_words(places, high - low), ticks="inside", ticklen=5)
    return scale([low - 0.5, high + 0.5], **ticks)


def tick_words(places: Sequence[int], width: float) -> list[str]:
    """The label of each tick, "" where it would lie over one that is written: from 0 outwards."""
    written: list[int] = []
    for place in sorted(places, key=abs):
        if all(abs(place - other) >= APART * width for other in written):
            written.append(place)
    return [signed(float(place), 0) if place in written else "" for place in places]


def _rows_figure(buckets: Buckets, about: About) -> Figure:
    """Which row of the table each offset reads."""
    offsets, numbers = visible(buckets.numbers.detach().cpu().double().numpy(), buckets.causal)
    lines = _Lines(offsets, numbers[None], both_sides(buckets.starts, buckets.causal), None, buckets.causal)
    last = max(buckets.starts, default=0)
    words = joined(
        [
            about.words,
            f"{buckets.rows} rows of a learned table",
            f"{len(buckets.starts)} buckets of keys up to the query, "
            f"from {last} positions on a single one" if buckets.starts else "",
            "ticks where a bucket begins",
            "later keys masked" if buckets.causal else "rows of later keys apart from those of earlier ones",
        ]
    )  # fmt: skip
    return from_plotly(
        name=figure_name(about, "buckets"),
        title="Buckets of distances",
        how_to="Each step is a bucket: all its offsets read the same row of a learned table. Near offsets have rows of "
        "their own, far ones share them, and beyond the last tick all read one.",
        figure=_rows_plot(lines, last),
        caption=words,
        contents="Both hold the row that each offset reads.",
        stem=file_stem("buckets", about),
        csv=lambda: csv_bytes(
            {
                "scheme": [guarded(about.title)] * len(offsets),
                "source": [guarded(about.source)] * len(offsets),
                "offset": offsets,
                "row": numbers.astype(np.int64),
            }
        ),
        npz=lambda: npz_bytes({"offsets": offsets, "rows": numbers.astype(np.int64)}, words),
    )


def _rows_plot(lines: _Lines, last: int) -> PlotlyFigure:
    rows = lines.values[0]
    line = dict(
        type="scatter", x=lines.offsets, y=rows.astype(np.int32), mode="lines",
        line=dict(color=look_of(0).colour, width=2.4, shape="hvh"),
        hovertemplate="offset %{x}: row %{y}<extra></extra>",
    )  # fmt: skip
    # At the upper edge a name may stand over the line.
    room = 0.08 * max(1.0, float(rows.max(initial=0)))
    ends = [float(rows.min(initial=0)) - room, float(rows.max(initial=0)) + room]
    words = titles(OFFSET, "row of the table")
    if 0 < last <= -lines.offsets[0]:
        at, up = float(rows[lines.offsets == -last][0]), dict(xanchor="left", yanchor="bottom", yshift=3)
        words.append(note(f"one row from {last} on", 0.01, at, yref="y", **up))
    axes = dict(xaxis=offset_axis(lines.offsets, lines.starts), yaxis=scale(ends))
    return plotted([line], axes, words)


def _bias_columns(about: About, lines: _Lines) -> dict[str, object]:
    head, place = np.indices(lines.values.shape).reshape(2, -1)
    return {
        "scheme": [guarded(about.title)] * len(head),
        "source": [guarded(about.source)] * len(head),
        "head": head,
        "offset": lines.offsets[place],
        # No minus before a zero.
        "bias": lines.values.ravel() + 0.0,
    }


def _arrays(lines: _Lines) -> dict[str, np.ndarray]:
    windows = {} if lines.windows is None else {"windows": lines.windows}
    return {"offsets": lines.offsets, "bias": lines.values.astype(np.float32), **windows}
