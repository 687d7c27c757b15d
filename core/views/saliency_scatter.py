"""Two methods word by word: every word a point, attention across and the other method up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.text.labels import shortened, visible
from core.views.agreement_view_scale import NEUTRAL, signed
from core.views.export import READING, csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import look_of
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import asked_words, target_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

    from core.agreement import Agreement
    from core.saliency import Scores

ACCENT = "#e65c10"
# Words that are named, at most, and as shares of the plot how far apart two named ones must be.
MOST_NAMES = 36
ROOM = (0.1, 0.055)
LONGEST_NAME = 16


def scatter_figure(one: Scores, other: Scores, agreement: Agreement, picked: int | None = None) -> Figure:
    """Words as points: what was compared is drawn, and a negative sign is a marker of its own.

    Reads of an agreement: tau, p, rho, n, sd0, magnitudes, and reason where there is no tau.
    A click on a word gives its number as
    the point's customdata. picked: the word that is ringed.
    """
    words = _caption(one, other, agreement)
    return from_plotly(
        name="scatter",
        title=f"{one.title} against {other.title}",
        how_to="Each point is a word. Where two methods agree, points rise from the lower left to the upper right; a "
        "word far off that line is one they disagree about. Hover it for both numbers.",
        figure=_plot(one, other, agreement.magnitudes, picked),
        caption=words,
        contents=f"Both hold the scores of both methods for every word. {READING}",
        stem=stem_of("scatter", (one.model, one.method, other.method)),
        csv=lambda: _table(one, other),
        npz=lambda: _archive(one, other, words),
    )


def _caption(one: Scores, other: Scores, agreement: Agreement) -> str:
    sized = [scores.title for scores in (one, other) if scores.signed and agreement.magnitudes]
    if np.isfinite(agreement.tau):
        told = f"tau {signed(agreement.tau)} (p {agreement.p:.2g}) · rho {signed(agreement.rho)}"
        chance = f"by chance tau spreads by {agreement.sd0:.2f}"
    else:
        told, chance = f"no tau: {agreement.reason or 'nothing to order'}", ""
    return joined(
        [
            one.model,
            f"explained: {target_words(other.target)}",
            *(f"{scores.title}: {', '.join(asked)}" for scores in (one, other) if (asked := asked_words(scores))),
            told,
            chance,
            f"{agreement.n} {one.by}s of one text, special tokens and padding left out",
            f"magnitudes of {' and '.join(sized)}" if sized else "",
            "triangle down: a negative score" if min(one.values.min(), other.values.min()) < 0 else "",
            "words without a name had no room for it: hover them",
        ]
    )


def _plot(one: Scores, other: Scores, sizes: bool, picked: int | None) -> PlotlyFigure:
    import plotly.graph_objects as go

    figure = go.Figure(_points(one, other, sizes))
    if picked is not None and picked < len(one.values):
        ring = go.Scatter(
            x=[float(_drawn(one, sizes)[picked])], y=[float(_drawn(other, sizes)[picked])], mode="markers",
            hoverinfo="skip", cliponaxis=False,
            marker=dict(symbol="circle-open", size=19, color=ACCENT, line=dict(width=3, color=ACCENT)),
        )  # fmt: skip
        figure.add_trace(ring)
    figure.update_layout(
        height=460, margin=dict(l=10, r=30, t=20, b=10), showlegend=False, hovermode="closest",
        clickmode="event+select",
    )  # fmt: skip
    axis: dict[str, Any] = dict(zeroline=False, automargin=True, rangemode="tozero")
    figure.update_xaxes(title=_axis_words(one, sizes), **axis)
    figure.update_yaxes(title=_axis_words(other, sizes), **axis)
    return figure


def _points(one: Scores, other: Scores, sizes: bool) -> Scatter:
    import plotly.graph_objects as go

    x, y = _drawn(one, sizes), _drawn(other, sizes)
    named = _named(x, y)
    negative = [bool(a < 0 or b < 0) for a, b in zip(one.values, other.values, strict=True)]
    labels = [visible(label) for label in one.labels]
    return go.Scatter(
        x=x.tolist(),
        y=y.tolist(),
        mode="markers+text",
        text=[escaped(shortened(label, LONGEST_NAME)) if place in named else "" for place, label in enumerate(labels)],
        textposition="top center",
        textfont_size=11,
        cliponaxis=False,
        customdata=list(range(len(labels))),
        hovertext=[
            f"<b>{escaped(shortened(label, 60))}</b><br>{escaped(one.title)}: {_number(a)}"
            f"<br>{escaped(other.title)}: {_number(b)}"
            for label, a, b in zip(labels, one.values, other.values, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        unselected=dict(marker=dict(opacity=1)),
        marker=dict(
            size=9,
            color=[look_of(1).colour if each else look_of(0).colour for each in negative],
            symbol=["triangle-down" if each else "circle" for each in negative],
            line=dict(width=0.8, color=NEUTRAL),
        ),
    )


def _drawn(scores: Scores, sizes: bool) -> np.ndarray:
    """What was compared: the values, or their sizes beside a method without signs."""
    return scores.comparable() if sizes else scores.values


def _named(x: np.ndarray, y: np.ndarray) -> set[int]:
    """The words that have room for their names, those with the largest numbers of either method first."""
    across, up = (values / max(float(np.abs(values).max(initial=0.0)), 1e-12) for values in (x, y))
    named: list[int] = []
    for place in np.argsort(-np.maximum(abs(across), abs(up)), kind="stable").tolist():
        if len(named) == MOST_NAMES:
            break
        crowd = (abs(across[place] - across[each]) < ROOM[0] and abs(up[place] - up[each]) < ROOM[1] for each in named)
        if not any(crowd):
            named.append(place)
    return set(named)


def _axis_words(scores: Scores, sizes: bool) -> str:
    return escaped(f"{scores.title} (magnitude)" if scores.signed and sizes else scores.title)


def _number(value: float) -> str:
    return f"{'−' if value < 0 else ''}{abs(value):.4g}"


def _table(one: Scores, other: Scores) -> bytes:
    count = len(one.values)
    return csv_bytes(
        {
            "model": [guarded(one.model)] * count,
            "group": list(range(count)),
            one.by: [guarded(label) for label in one.labels],
            one.method: one.values,
            other.method if other.method != one.method else f"{other.method}_2": other.values,
        }
    )


def _archive(one: Scores, other: Scores, words: str) -> bytes:
    return npz_bytes(
        {
            "labels": label_array(one.labels),
            "methods": label_array([one.method, other.method]),
            "scores": np.stack([one.values, other.values]),
        },
        words,
    )
