"""Plotly figures: a heatmap for notebooks, and whatever else a page shows through Plotly.

Plotly is imported when a figure is made: it costs half a second that the app's start need not wait for.
Plotly reads the text of labels as a kind of HTML, in which `<s>` would vanish: labels go in escaped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from core.heads import EVERY_TOKEN, Filters, retiled, survey
from core.views.figure import PLOTLY, Figure
from core.views.scales import SCALES, SPANS, scale_words, short_number
from core.views.shown import is_part, map_of, window_of
from core.views.view import View
from core.views.words import caption, place_words, row_sums, window_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.capture import Trace
    from core.heads import AttentionMap

# The light ramp of the browser's figures, assets/colour.js LIGHT_RAMP, at 17 equal steps.
RAMP = (
    "#fafafe", "#e8e8fa", "#d7d6f6", "#c5c5f1", "#b4b3ee", "#a3a2ea", "#9190e6", "#807fe3", "#6f6cdf", "#5f5bd6",
    "#5049cd", "#4239be", "#362ea5", "#2a238d", "#1f1c71", "#151654", "#0d0f39",
)  # fmt: skip
# What a masked cell looks like: Plotly has no hatching for cells.
MASKED = "#d9dbe3"
# Labels along an axis, at most; and cells up to which each tells its tokens when pointed at.
MOST_LABELS = 160
LABELLED_CELLS = 40_000
LONGEST_LABEL = 40
PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def heatmap(
    trace: Trace,
    layer: int,
    head: int | None,
    stream: str | None = None,
    scale: str = "sqrt",
    span: str = "head",
    filters: Filters = EVERY_TOKEN,
    row: int = 0,
    col: int = 0,
) -> PlotlyFigure:
    """One head, or with None the mean over the heads, as a Plotly figure: what the app draws, for a notebook.

    Axes are numbers with labels as tick text, so that repeated tokens keep their own rows. `customdata` holds for each
    cell the exact weight and the positions of its query and key. Of a long map: the window that starts at the token
    positions `row` and `col`.
    stream: the trace's first when None; scale, span: names of `SCALES` and `SPANS`. "all" surveys the whole stream.
    Raises HeadlightError for a scale, a span or filters that there are not.
    """
    import plotly.graph_objects as go

    view = View(stream or trace.first_stream, layer, head, scale, span, filters, row, col)
    window = window_of(trace, view)
    shown = map_of(trace, view, *window)
    weights, masked = shown.weights[0].numpy(), shown.masked.numpy()
    top, top_words = _top(trace, view, weights)
    placed = SCALES[scale].place(np.clip(weights / np.where(top > 0, top, 1), 0, 1)).astype(np.float32)
    part = window_words(shown.rows, shown.cols, is_part(window))
    place = ", ".join(filter(None, [place_words(trace, view), part]))
    how = f"{scale_words(scale, top_words)} · {row_sums(trace, view.stream, layer, view.filters)} · masked cells grey"
    figure = go.Figure(
        go.Heatmap(
            x=np.arange(len(shown.cols)),
            y=np.arange(len(shown.rows)),
            z=np.where(masked, np.float32(np.nan), placed),
            zmin=0,
            zmax=1,
            colorscale=[[i / (len(RAMP) - 1), colour] for i, colour in enumerate(RAMP)],
            colorbar=_colour_bar(view, float(np.max(top, initial=0.0))),
            customdata=_cell_data(shown, weights),
            hoverongaps=False,
            **_hover(shown),
        )
    )
    words = caption(trace, view.stream, place, how, view.filters)
    _lay_out(figure, shown, f"{trace.provenance.model} · {place_words(trace, view)}", words)
    return figure


def from_plotly(
    name: str,
    title: str,
    how_to: str,
    figure: PlotlyFigure,
    caption: str,
    contents: str,
    stem: str,
    csv: Callable[[], bytes],
    npz: Callable[[], bytes],
) -> Figure:
    """A Plotly figure as a figure that a card shows."""
    return Figure(name, PLOTLY, title, how_to, figure.to_json().encode(), caption, contents, stem, csv, npz)


def escaped(text: str) -> str:
    """Text that Plotly shows letter for letter: neither as its kind of HTML nor, between dollar signs, as LaTeX."""
    return escape(text, quote=False).replace("$", "&#36;")


def _top(trace: Trace, view: View, weights: np.ndarray) -> tuple[np.ndarray, str]:
    """What the strongest colour stands for, as something that divides (rows, cols), and in words."""
    if view.span == "row":
        return weights.max(axis=1, keepdims=True), SPANS["row"]
    if view.span == "one":
        return np.ones((1, 1), np.float32), SPANS["one"]
    if view.span == "head":
        top = float(weights.max(initial=0.0))
        return np.full((1, 1), top, np.float32), f"{top:.3g}, the largest weight shown"
    top = retiled(trace, survey(trace, view.stream), view.filters).top
    return np.full((1, 1), top, np.float32), f"{top:.3g}, {SPANS['all']}"


def _colour_bar(view: View, top: float) -> dict[str, Any]:
    """Ticks at true weights, wherever the scale puts them; shares where each row has its own largest weight."""
    scale = SCALES[view.scale]
    shares = [float(scale.share(np.array(part))) for part in PARTS]
    texts = [f"{100 * s:.3g} %" if view.span == "row" else short_number(s * top) for s in shares]
    if shares[0] > 0:
        texts[0] = f"≤ {texts[0]}"
    title = "share of the row's largest" if view.span == "row" else "attention weight"
    return dict(tickvals=list(PARTS), ticktext=texts, title=dict(text=title, side="right"), thickness=14)


def _cell_data(shown: AttentionMap, weights: np.ndarray) -> np.ndarray:
    """(rows, cols, 3): weight, and the positions of query and key, which float32 holds exactly."""
    rows, cols = (np.array(axis.places, np.float32) for axis in (shown.rows, shown.cols))
    return np.stack(np.broadcast_arrays(weights, rows[:, None], cols[None, :]), axis=-1).astype(np.float32)


def _hover(shown: AttentionMap) -> dict[str, Any]:
    """What a cell says when it is pointed at: its tokens too, where there are not too many cells."""
    line = "query %{customdata[1]} → key %{customdata[2]}<br>weight %{customdata[0]:.9~g}<extra></extra>"
    if len(shown.rows) * len(shown.cols) > LABELLED_CELLS:
        return dict(hovertemplate=line)
    rows, cols = ([escaped(_short(label)) for label in axis.labels] for axis in (shown.rows, shown.cols))
    pairs = [[f"{row} → {col}" for col in cols] for row in rows]
    return dict(hovertext=pairs, hovertemplate="%{hovertext}<br>" + line)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[:LONGEST_LABEL]}…"


def _lay_out(figure: PlotlyFigure, shown: AttentionMap, title: str, words: str) -> None:
    """Square cells, labels on both axes with the keys above, and the caption under the plot."""
    height = 200 + _length(len(shown.rows))
    width = 240 + _length(len(shown.cols))
    lines = textwrap.wrap(words, max(50, width // 7))
    bottom = 30 + 17 * len(lines)
    figure.update_layout(
        title=dict(text=escaped(title), x=0, xref="paper"),
        width=width,
        height=height + bottom,
        margin=dict(l=110, r=110, t=150, b=bottom),
        plot_bgcolor=MASKED,
        paper_bgcolor="#ffffff",
        font=dict(color="#0b0e16"),
        annotations=[
            dict(
                text="<br>".join(map(escaped, lines)), x=0, y=0, yshift=-12, xref="paper", yref="paper",
                xanchor="left", yanchor="top", align="left", showarrow=False, font=dict(size=11),
            )
        ],
    )  # fmt: skip
    figure.update_xaxes(title="key", side="top", tickangle=-90, **_ticks(shown.cols.labels))
    figure.update_yaxes(title="query", autorange="reversed", **_ticks(shown.rows.labels))


def _length(entries: int) -> int:
    return int(min(900, max(160, 20 * entries)))


def _ticks(labels: Sequence[str]) -> dict[str, Any]:
    """Labels at the whole numbers 0, 1, ...; of many, one in so many."""
    step = -(-len(labels) // MOST_LABELS)
    places = list(range(0, len(labels), max(1, step)))
    texts = [escaped(_short(labels[i])) for i in places]
    return dict(tickmode="array", tickvals=places, ticktext=texts, showgrid=False, zeroline=False, ticks="")
