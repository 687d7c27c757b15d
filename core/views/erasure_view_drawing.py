"""How erasure is drawn: deletion and insertion side by side, over them keys and numbers of each method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import BAND, NEUTRAL, finite, signed
from core.views.keys import FONT, LINE_HEIGHT, Key, add_key
from core.views.model_lines import WIDTH, add_keys, line_style
from core.views.plotly import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.agreement.erasure_curves import Erasure

# The numbers of a method, and what stands over their column.
NUMBERS = {
    "deletion_area": "deletion",
    "insertion_area": "insertion",
    "comprehensiveness": "compreh.",
    "sufficiency": "sufficiency",
    "flip": "flip at",
}
# In pixels: from a key to the first column of numbers, from column to column, from the plots to the keys.
TO_NUMBERS, COLUMN, OVER_PLOTS = 216, 92, 44
DELETION, INSERTION = "words removed, largest first", "words brought in, largest first"
# Markers on a curve, at most.
MOST_MARKERS = 12
LONGEST_NAME = 26
# What has no target but is measured as a whole.
MEASURED = {"similarity": "two texts"}
# Methods up to which the reverse orders are drawn too, thin and pale.
MOST_REVERSED = 3
PALE = 0.45
RANDOM = "random: 95 %, mean"


def curves_plot(found: Erasure, titles: Mapping[str, str]) -> PlotlyFigure:
    """The curves as a Plotly figure. titles: of the methods."""
    from plotly.subplots import make_subplots

    figure = make_subplots(1, 2, subplot_titles=[DELETION, INSERTION], shared_yaxes=True, horizontal_spacing=0.05)
    figure.update_annotations(font_size=13, yshift=4)
    percent = [100 * float(fraction) for fraction in found.fractions]
    for column, side in enumerate(("deletion", "insertion"), 1):
        _add_band(figure, percent, np.array(getattr(found.random, side), np.float64), column)
        for index, (name, curve) in enumerate(found.curves.items()):
            _add_curve(figure, index, titles.get(name, name), percent, getattr(curve, side), column)
    if len(found.curves) <= MOST_REVERSED:
        _add_reverse(figure, found, percent, titles)
    _lay_table(figure, found, [titles.get(name, name) for name in found.curves])
    lines = len(found.curves) + 2
    figure.update_layout(
        height=340 + OVER_PLOTS + LINE_HEIGHT * lines,
        margin=dict(l=10, r=20, t=OVER_PLOTS + 10 + LINE_HEIGHT * lines, b=10),
        showlegend=False,
        hovermode="closest",
    )
    figure.update_xaxes(title="share of the words (%)", range=[-1, 101], zeroline=False, automargin=True)
    figure.update_yaxes(zeroline=False, automargin=True)
    figure.update_yaxes(title=f"{found.measure} of the {MEASURED.get(found.measure, 'target')}", row=1, col=1)
    return figure


def _add_band(figure: PlotlyFigure, percent: list[float], orders: np.ndarray, column: int) -> None:
    """Where 95 % of the random orders run, and their mean."""
    import plotly.graph_objects as go

    if not len(orders):
        return
    low, high = np.quantile(orders, [0.025, 0.975], axis=0)  # (orders, F) -> (F,)
    edge: dict[str, Any] = dict(x=percent, mode="lines", line_width=0, hoverinfo="skip")
    figure.add_trace(go.Scatter(y=finite(low), **edge), 1, column)
    figure.add_trace(go.Scatter(y=finite(high), fill="tonexty", fillcolor=BAND, **edge), 1, column)
    figure.add_trace(
        go.Scatter(
            x=percent, y=finite(orders.mean(axis=0)), mode="lines", line=dict(color=NEUTRAL, width=1.6, dash="dot"),
            hovertemplate="mean of random orders<br>%{x:.0f} %: %{y:.3f}<extra></extra>",
        ), 1, column,
    )  # fmt: skip


def _add_curve(
    figure: PlotlyFigure, index: int, title: str, percent: list[float], values: np.ndarray, column: int
) -> None:
    import plotly.graph_objects as go

    style = line_style(index)
    style["marker"] = {**style["marker"], "size": 7, "maxdisplayed": MOST_MARKERS}
    figure.add_trace(
        go.Scatter(
            x=percent, y=finite(values), name=escaped(title),
            hovertemplate=f"{escaped(title)}<br>%{{x:.0f}} %: %{{y:.3f}}<extra></extra>", **style,
        ), 1, column,
    )  # fmt: skip


def _add_reverse(figure: PlotlyFigure, found: Erasure, percent: list[float], titles: Mapping[str, str]) -> None:
    """Each order read from its end, in the look of its method."""
    import plotly.graph_objects as go

    for index, name in enumerate(found.curves):
        line = {**line_style(index)["line"], "width": 1.2}
        words = f"{escaped(titles.get(name, name))}, reversed<br>%{{x:.0f}} %: %{{y:.3f}}<extra></extra>"
        for column, side in enumerate(("deletion", "insertion"), 1):
            values = finite(getattr(found.reverse(name), side))
            trace = go.Scatter(x=percent, y=values, mode="lines", line=line, opacity=PALE, hovertemplate=words)
            figure.add_trace(trace, 1, column)


def _lay_table(figure: PlotlyFigure, found: Erasure, names: list[str]) -> None:
    """Keys one below the other, the numbers of each method in columns beside its key."""
    short = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in names]
    add_keys(figure, short, OVER_PLOTS + LINE_HEIGHT)
    add_key(figure, Key(RANDOM, NEUTRAL, WIDTH, "dot"), 0, 1, OVER_PLOTS)
    top = OVER_PLOTS + LINE_HEIGHT * (len(names) + 1)
    for place, (number, head) in enumerate(NUMBERS.items()):
        right = TO_NUMBERS + COLUMN * (place + 1)
        _write(figure, head, right, top, NEUTRAL)
        for line, numbers in enumerate([*(found.numbers[name] for name in found.curves), found.chance]):
            up = OVER_PLOTS + LINE_HEIGHT * (len(names) - line)
            _write(figure, _number(number, getattr(numbers, number), found.measure), right, up)


def _number(name: str, value: float, measure: str) -> str:
    if name == "flip" and measure != "probability":
        return ""  # no other answer could win
    if name == "flip":
        return f"{100 * value:.0f} %" if math.isfinite(value) else "never"
    return signed(float(value), 3)


def _write(figure: PlotlyFigure, text: str, right: float, up: float, colour: str | None = None) -> None:
    """Text that ends at so many pixels from the left of the paper."""
    font: dict[str, Any] = {"size": FONT, **({"color": colour} if colour else {})}
    figure.add_annotation(
        text=text, x=0, y=1, xref="paper", yref="paper", xshift=right, yshift=up, xanchor="right", yanchor="middle",
        showarrow=False, font=font,
    )  # fmt: skip
