"""DeBERTa's score taken apart: contents, contents with positions, positions with contents, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import HeadlightError
from core.text import shortened
from core.views.export import csv_bytes, guarded, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.plotly import escaped, from_plotly
from core.views.position_grid import MOST_CELLS, Colours, bar, signed_colours, squared
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Terms
    from core.views.position_words import About

HEIGHT = 580
# Over each map: how the three add up to the fourth.
TITLES = {
    "content_to_content": "content → content",
    "content_to_position": "+ content → position",
    "position_to_content": "+ position → content",
    "total": "= score",
}
# Of the maps' axes.
NUMBERS = ("", "2", "3", "4")
ABSENT = {name: title.removeprefix("+ ") for name, title in TITLES.items()}
# Tokens up to which each has its label, and characters of one.
MOST_LABELS, LONGEST = 22, 9
# A row of labels takes more room than numbers do.
LABELLED = 60


def terms_figure(terms: Terms, labels: Sequence[str] | None, about: About, head: int = 0) -> Figure:
    """The three terms of one head and their sum, four maps on one scale.

    labels: of the tokens, None where there are none; head: of the layer that the terms are of. Of a longer text, the
    first MOST_CELLS tokens are drawn; the exports hold all. Raises HeadlightError for a head that there is not.
    """
    count = len(terms.content_to_content)
    if not 0 <= head < count:
        raise HeadlightError(f"There is no head {head} in this layer: choose one of 0 to {count - 1}.")
    maps = {name: getattr(terms, name)[head].detach().cpu().float().numpy() for name in TITLES}
    size = len(maps["total"])
    colours = signed_colours(np.stack([each[:MOST_CELLS, :MOST_CELLS] for each in maps.values()]), "score")
    words = joined(
        [
            about.words,
            f"head {head} of {count}",
            f"the first {MOST_CELLS} of {size:,} tokens" if size > MOST_CELLS else f"{size} tokens",
            "rows queries, columns keys",
            "scores before softmax",
            f"one scale: {colours.words}",
            *_shares(maps),
            f"without {', '.join(ABSENT.get(each, each) for each in terms.absent)}: the model was built so"
            if terms.absent
            else "",
        ]
    )
    return from_plotly(
        name=figure_name(about, "terms"),
        title="Three terms of a score",
        how_to="The first three maps add up to the fourth, cell by cell, on one colour scale. Only the second and the "
        "third know offsets: where they are as strong as the first, the head looks at places and not only at words.",
        figure=_plot(maps, labels, colours),
        caption=words,
        contents="Both hold the three terms and their sum for each pair of tokens of this head.",
        stem=file_stem("terms", about),
        csv=lambda: csv_bytes(_columns(about, maps, labels, head)),
        npz=lambda: npz_bytes({**maps, **({} if labels is None else {"labels": label_array(labels)})}, words),
    )


def _shares(maps: dict[str, np.ndarray]) -> list[str]:
    """How strong each term is, as its standard deviation."""
    spreads = [f"{np.std(maps[name]):.2g}" for name in list(TITLES)[:3]]
    return [f"standard deviations {', '.join(spreads)}"]


def _plot(maps: dict[str, np.ndarray], labels: Sequence[str] | None, colours: Colours) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    size = min(len(maps["total"]), MOST_CELLS)
    labelled = labels is not None and size <= MOST_LABELS
    figure = make_subplots(
        2, 2, subplot_titles=list(TITLES.values()), horizontal_spacing=0.05, vertical_spacing=0.1
    )  # fmt: skip
    for title, number in zip(figure.layout.annotations, NUMBERS, strict=True):
        title.update(xref=f"x{number} domain", yref=f"y{number} domain", x=0.5, y=1, font_size=13, yshift=1)
    for place, values in enumerate(maps.values()):
        figure.add_trace(_map(values[:size, :size], labels), place // 2 + 1, place % 2 + 1)
    picture, words = bar(colours, "2")
    figure.add_layout_image(picture)
    for word in words:
        figure.add_annotation(word)
    figure.update_layout(
        height=HEIGHT + (LABELLED if labelled else 0), margin=dict(l=10, r=colours.room, t=24, b=6), showlegend=False,
        hovermode="closest",
        coloraxis=dict(cmin=colours.low, cmax=colours.high, colorscale=colours.stops, showscale=False),
    )  # fmt: skip
    ticks: dict[str, Any] = {}
    if labelled and labels is not None:
        ticks = dict(tickvals=list(range(size)), ticktext=[escaped(shortened(each, LONGEST)) for each in labels[:size]])
    side: dict[str, Any] = dict(showgrid=False, zeroline=False, ticks="", automargin=True, tickfont_size=11, **ticks)
    figure.update_xaxes(range=[-0.5, size - 0.5], tickangle=-90 if labelled else 0, **side)
    figure.update_yaxes(range=[size - 0.5, -0.5], **side)
    figure.update_xaxes(showticklabels=False, row=1)
    figure.update_yaxes(showticklabels=False, col=2)
    for number, toward in zip(NUMBERS, ("right", "left") * 2, strict=True):
        figure.update_layout(squared(number, toward))
    if not labelled:
        figure.update_xaxes(title=dict(text="key", standoff=6), row=2)
        figure.update_yaxes(title=dict(text="query", standoff=12), col=1)
    return figure


def _map(values: np.ndarray, labels: Sequence[str] | None) -> Any:
    import plotly.graph_objects as go

    size = len(values)
    words: dict[str, Any] = dict(hovertemplate="query %{y} → key %{x}<br>%{z:.3f}<extra></extra>")
    if labels is not None and size <= 4 * MOST_LABELS:
        names = [escaped(shortened(label, 3 * LONGEST)) for label in labels[:size]]
        words = dict(
            text=[[f"{query} → {key}" for key in names] for query in names],
            hovertemplate="%{text}<br>query %{y} → key %{x}: %{z:.3f}<extra></extra>",
        )
    places = np.arange(size)
    return go.Heatmap(x=places, y=places, z=np.ascontiguousarray(values), coloraxis="coloraxis", **words)


def _columns(about: About, maps: dict[str, np.ndarray], labels: Sequence[str] | None, head: int) -> dict[str, object]:
    query, key = np.indices(maps["total"].shape).reshape(2, -1)
    named = (
        {} if labels is None else {"query_token": label_column(labels, query), "key_token": label_column(labels, key)}
    )
    return {
        "scheme": [guarded(about.title)] * len(query),
        "source": [guarded(about.source)] * len(query),
        "head": head,
        "query": query,
        "key": key,
        **named,
        **{name: values.ravel() + 0.0 for name, values in maps.items()},
    }
