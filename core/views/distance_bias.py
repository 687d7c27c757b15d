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
from core.views.head_family import add_head_keys, drawn_heads, few_words, head_line
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Bias
    from core.views.position_words import About

HEIGHT, KEYS = 340, 22
# A weight falls to a hundredth where the bias is this; the axis ends at three times it.
HUNDREDTH = -float(np.log(100))
LOWEST = 3 * HUNDREDTH
TICKS = ["0", "−ln 100", "−2 ln 100", "−3 ln 100"]
# Labels along half of the axis, at most: ticks nearer than this share of it have none.
APART = 0.075


@dataclass(frozen=True, eq=False)
class _Lines:
    """What is drawn: offsets (N,), and a row of values for each head, float64 (H, N).

    starts: offsets at which a bucket begins, () without buckets; windows: (H,) distance of -ln 100, None without slopes
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
        return f"window (bias of −ln 100) of head {chosen}: {_distance(lines.windows[chosen])}"
    ends = (float(lines.windows.min()), float(lines.windows.max()))
    return f"windows (bias of −ln 100) from {_distance(ends[0])} to {_distance(ends[1])}"


def _distance(value: float) -> str:
    return f"{value:,.1f} positions" if value < 100 else f"{value:,.0f} positions"


def _plot(lines: _Lines, drawn: tuple[int, ...], chosen: int | None) -> PlotlyFigure:
    import plotly.graph_objects as go

    figure, count = go.Figure(), len(lines.values)
    shown = lines.values[list(drawn)]
    low = max(float(shown.min(initial=0.0)), LOWEST)
    high = float(shown.max(initial=0.0))
    room = 0.06 * ((high - low) or 1.0)
    for head in sorted(drawn, key=lambda each: each == chosen):
        figure.add_trace(_line(lines, head, head_line(head, count, chosen)))
    marked = lines.windows is not None and low <= HUNDREDTH
    if marked:
        _mark_windows(figure, lines, drawn, chosen)
    if drawn:
        add_head_keys(figure, drawn, count, chosen, KEYS - 6)
    lay_out_offsets(figure, lines.offsets, lines.starts, top=14 + KEYS)
    figure.update_yaxes(title=dict(text="added to the score", standoff=14), range=[low - room, high + room])
    if marked:
        figure.update_yaxes(tickvals=[0, HUNDREDTH, 2 * HUNDREDTH, LOWEST], ticktext=TICKS)
    return figure


def _line(lines: _Lines, head: int, style: dict[str, Any]) -> Any:
    import plotly.graph_objects as go

    style["line"] = {**style["line"], "shape": "hvh" if lines.starts else "linear"}
    return go.Scatter(
        x=lines.offsets, y=lines.values[head].astype(np.float32), mode="lines", name=f"head {head}",
        hovertemplate=f"head {head}<br>offset %{{x}}: %{{y:.4~g}}<extra></extra>", **style,
    )  # fmt: skip


def _mark_windows(figure: PlotlyFigure, lines: _Lines, drawn: tuple[int, ...], chosen: int | None) -> None:
    """A line at -ln 100, and a point on each head's line where it crosses it."""
    import plotly.graph_objects as go

    figure.add_hline(HUNDREDTH, line=dict(color=NEUTRAL, width=1.3, dash="dot"), layer="below")
    windows = np.zeros(0) if lines.windows is None else lines.windows
    inside = [head for head in drawn if windows[head] <= -lines.offsets[0]]
    count = len(lines.values)
    styles = [head_line(head, count, chosen) for head in inside]
    for side in (-1, *(() if lines.causal else (1,))):
        figure.add_trace(
            go.Scatter(
                x=[side * float(windows[head]) for head in inside], y=[HUNDREDTH] * len(inside), mode="markers",
                marker=dict(
                    size=[10 if head == chosen else 7 for head in inside],
                    color=[style["line"]["color"] for style in styles],
                ),
                customdata=inside, showlegend=False,
                hovertemplate="head %{customdata}<br>a hundredth at %{x:.1f}<extra></extra>",
            )
        )  # fmt: skip


def lay_out_offsets(
    figure: PlotlyFigure, offsets: np.ndarray, starts: Sequence[int], height: int = HEIGHT, top: int = 14
) -> None:
    """Axes, height and margins of a figure over offsets, with ticks where buckets begin."""
    low, high = float(offsets[0]), float(offsets[-1])
    figure.update_layout(height=height, margin=dict(l=10, r=14, t=top, b=10), showlegend=False, hovermode="closest")
    ticks: dict[str, Any] = {}
    if starts:
        places = [start for start in starts if low <= start <= high]
        ticks = dict(tickvals=places, ticktext=tick_words(places, high - low), ticks="outside", ticklen=5)
    figure.update_xaxes(
        title=dict(text="offset (key − query)", standoff=10), range=[low - 0.5, high + 0.5], zeroline=False,
        automargin=True, tickangle=0, **ticks,
    )  # fmt: skip
    figure.update_yaxes(zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=1, automargin=True)


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
    import plotly.graph_objects as go

    figure, rows = go.Figure(), lines.values[0]
    figure.add_trace(
        go.Scatter(
            x=lines.offsets, y=rows.astype(np.int32), mode="lines",
            line=dict(color=look_of(0).colour, width=2.4, shape="hvh"),
            hovertemplate="offset %{x}: row %{y}<extra></extra>",
        )
    )  # fmt: skip
    # At the upper edge a name may stand over the line.
    room = 0.08 * max(1.0, float(rows.max(initial=0)))
    lay_out_offsets(figure, lines.offsets, lines.starts)
    figure.update_yaxes(
        title=dict(text="row of the table", standoff=14), zeroline=False,
        range=[float(rows.min(initial=0)) - room, float(rows.max(initial=0)) + room],
    )  # fmt: skip
    if 0 < last <= -lines.offsets[0]:
        figure.add_annotation(
            text=f"one row from {last} on", x=0.01, xref="x domain", y=float(rows[lines.offsets == -last][0]),
            yref="y", xanchor="left", yanchor="bottom", yshift=3, showarrow=False, font_size=12,
        )  # fmt: skip
    return figure


def _bias_columns(about: About, lines: _Lines) -> dict[str, object]:
    head, place = np.indices(lines.values.shape).reshape(2, -1)
    return {
        "scheme": [guarded(about.title)] * len(head),
        "source": [guarded(about.source)] * len(head),
        "head": head,
        "offset": lines.offsets[place],
        "bias": lines.values.ravel(),
    }


def _arrays(lines: _Lines) -> dict[str, np.ndarray]:
    windows = {} if lines.windows is None else {"windows": lines.windows}
    return {"offsets": lines.offsets, "bias": lines.values.astype(np.float32), **windows}
