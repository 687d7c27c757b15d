"""How two orders of one text are drawn: a grid of maps on one scale, and under each row what the comparison found."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.text import shortened
from core.views.head_family import CHOSEN
from core.views.plotly import escaped
from core.views.position_grid import Colours, bar, mask, squared
from core.views.scales import short_number

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.views.order_view import Map

# From nothing, the page's own ground, to the hue of attention at a strength that is read on white and on black.
WEIGHTS = ((0.0, "rgba(95, 91, 214, 0)"), (1.0, "rgba(95, 91, 214, 1)"))
# Tokens up to which each has its label, and characters of one; pixels of a map at half a page.
MOST_LABELS, LONGEST, SIDE = 18, 9, 165
# Pixels of a row of maps, of the sentence under it, and over the first.
ROW, SENTENCE, TITLE = 250, 40, 28
# Pixels of a row's label.
LINE = 14
PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def maps_plot(maps: Sequence[Map], sentences: Mapping[str, str], causal: bool) -> PlotlyFigure:
    """Two maps a row. sentences: by the row's name; causal: whether what lies right of the diagonal is masked."""
    from plotly.subplots import make_subplots

    rows = len(maps) // 2
    labelled = max(max(each.weights.shape) for each in maps) <= MOST_LABELS
    upright = labelled and all(_fits(each.cols) for each in maps)
    over = TITLE + (28 if upright or not labelled else 8 * min(LONGEST, _widest(maps)) + 6)
    tall = max(ROW, LINE * len(maps[0].rows)) if labelled else ROW
    height = over + rows * (tall + SENTENCE) + 4
    gap = SENTENCE / max(1, height - over - SENTENCE)
    figure = make_subplots(rows, 2, horizontal_spacing=0.13 if labelled else 0.08, vertical_spacing=gap)
    top = max(float(np.nanmax(each.weights, initial=0.0)) for each in maps) or 1.0
    ring = ringed(maps)
    for place, each in enumerate(maps):
        row, column = place // 2 + 1, place % 2 + 1
        number = "" if place == 0 else str(place + 1)
        figure.add_trace(_heatmap(each, maps[place - column + 1], top), row, column)
        _lay_axes(figure, each, row, column, labelled, upright)
        if causal:
            shapes, words = mask(np.arange(len(each.rows)), number)
            for shape, word in zip(shapes, words, strict=True):
                figure.add_shape(shape)
                figure.add_annotation(word)
        if ring is not None:
            _add_ring(figure, each, ring, number)
        if row == 1:
            _write(figure, f"<b>{escaped(each.column)}</b>", number, 1, over - 12, "center", 0.5)
        if column == 1:
            _write(figure, _verdict(sentences[each.row]), number, 0, -SENTENCE / 2 + 6, "left", 0)
    colours = Colours(WEIGHTS, 0, 1, "", "", tuple((part, short_number(part**2 * top)) for part in PARTS))
    picture, words = bar(colours, "2")
    figure.add_layout_image(picture)
    for word in words:
        figure.add_annotation(word)
    figure.update_layout(
        height=height, margin=dict(l=10, r=colours.room, t=over, b=SENTENCE), showlegend=False, hovermode="closest",
        coloraxis=dict(cmin=0, cmax=1, colorscale=colours.stops, showscale=False),
    )  # fmt: skip
    return figure


def _verdict(sentence: str) -> str:
    """The sentence with its finding in bold; the row's name may stand before it."""
    name, dot, found = escaped(sentence).rpartition(" · ")
    verdict, colon, rest = found.partition(": ")
    return f"{name}{dot}<b>{verdict}</b>{colon}{rest}"


def _heatmap(each: Map, written: Map, top: float) -> Any:
    """A map; a cell of the moved text tells the weight of the same pair in the text as written."""
    import plotly.graph_objects as go

    shown = np.sqrt(np.clip(each.weights / top, 0, 1)).astype(np.float32)
    before = as_written(each, written)
    line = "weight %{customdata[0]:.4~g}"
    data = [each.weights]
    if each is not written and before is not None:
        data.append(before)
        line += "<br>as written %{customdata[1]:.4~g}"
    words: dict[str, Any] = {}
    if max(each.weights.shape) <= 4 * MOST_LABELS:
        rows, cols = ([escaped(shortened(label, 30)) for label in side] for side in (each.rows, each.cols))
        words = dict(text=[[f"{row} → {col}" for col in cols] for row in rows])
        line = "%{text}<br>" + line
    return go.Heatmap(
        x=np.arange(shown.shape[1]), y=np.arange(shown.shape[0]), z=shown, coloraxis="coloraxis", hoverongaps=False,
        customdata=np.stack(data, axis=-1).astype(np.float32), hovertemplate=f"{line}<extra></extra>", **words,
    )  # fmt: skip


def as_written(each: Map, written: Map) -> np.ndarray | None:
    """The same pairs' weights before they moved; None where some of them are not shown, or rows are other words."""
    rows, cols = written.weights.shape
    if each.weights.shape != (rows, cols) or int(each.from_cols.max(initial=0)) >= cols:
        return None
    if int(each.from_rows.max(initial=0)) >= rows or sorted(each.rows) != sorted(written.rows):
        return None
    return np.asarray(written.weights[each.from_rows][:, each.from_cols])


def ringed(maps: Sequence[Map]) -> tuple[int, int] | None:
    """Query and key, as places in the text as written, of the heaviest weight between two words that moved.

    Of a word that moved and another where no two that moved see each other in both orders, as under a causal mask.
    """
    written, moved = maps[-2:]
    before = as_written(moved, written)
    if before is None:
        return None
    square = len(moved.rows) == len(moved.cols)
    own = ~moved.special_cols[None] & (~moved.special_rows[:, None] | (not square))
    apart = (moved.from_rows[:, None] != moved.from_cols[None]) | (not square)
    seen = own & apart & np.isfinite(before) & np.isfinite(moved.weights)
    rows, cols = (side != np.arange(len(side)) for side in (moved.from_rows, moved.from_cols))
    for which in (rows[:, None] & cols[None], rows[:, None] | cols[None]):
        if (seen & which).any():
            place = int(np.argmax(np.where(seen & which, before, -1)))
            query, key = np.unravel_index(place, before.shape)
            return int(moved.from_rows[query]), int(moved.from_cols[key])
    return None


def _add_ring(figure: PlotlyFigure, each: Map, ring: tuple[int, int], number: str) -> None:
    row, column = (
        int(np.flatnonzero(side == at)[0]) for side, at in zip((each.from_rows, each.from_cols), ring, strict=True)
    )
    figure.add_shape(
        type="rect", x0=column - 0.5, x1=column + 0.5, y0=row - 0.5, y1=row + 0.5, xref=f"x{number}",
        yref=f"y{number}", line=dict(color=CHOSEN, width=2.4), layer="above",
    )  # fmt: skip


def _lay_axes(figure: PlotlyFigure, each: Map, row: int, column: int, labelled: bool, upright: bool) -> None:
    """Labels left of each map, and over the first row, whose columns are those of the rows below."""
    plain: dict[str, Any] = dict(showgrid=False, zeroline=False, ticks="", tickfont_size=11, row=row, col=column)
    rows, cols = each.weights.shape
    figure.update_xaxes(range=[-0.5, cols - 0.5], side="top", **plain)
    figure.update_yaxes(range=[rows - 0.5, -0.5], automargin=True, **plain)
    if rows == cols:
        number = "" if row == column == 1 else str(2 * row + column - 2)
        figure.update_layout(squared(number, "right" if column == 1 else "left"))
    if labelled:
        figure.update_yaxes(tickvals=list(range(rows)), ticktext=_ticks(each.rows), row=row, col=column)
        texts = dict(tickvals=list(range(cols)), ticktext=_ticks(each.cols), tickangle=0 if upright else -90)
        figure.update_xaxes(**(texts if row == 1 else dict(showticklabels=False)), row=row, col=column)
    elif row > 1:
        figure.update_xaxes(showticklabels=False, row=row, col=column)


def _ticks(labels: Sequence[str]) -> list[str]:
    return [escaped(shortened(label, LONGEST)) for label in labels]


def _width(label: str) -> int:
    """Halves of an em that a label takes: signs of Chinese and its like take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in shortened(label, LONGEST))


def _widest(maps: Sequence[Map]) -> int:
    return max((_width(label) for each in maps for label in each.cols), default=1)


def _fits(labels: Sequence[str]) -> bool:
    """Whether labels stand side by side over a map without turning them."""
    return max((_width(label) for label in labels), default=1) * 5.8 * len(labels) <= SIDE


def _write(figure: PlotlyFigure, text: str, number: str, y: float, up: float, anchor: str, x: float) -> None:
    figure.add_annotation(
        text=text, x=x, y=y, xref=f"x{number} domain", yref=f"y{number} domain", yshift=up, xanchor=anchor,
        yanchor="middle", showarrow=False, font_size=13, align="left",
    )  # fmt: skip
