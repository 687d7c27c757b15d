"""Which heads agree with a method: tau of every head's own reading with the method's scores, layer × head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import DIVERGING, band_words, colour_bar, finite, hatch, signed, width_of
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import source_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.agreement import HeadAgreement
    from core.saliency import Scores

ACCENT = "#e65c10"
# Heads a layer up to which a cell has room for its number.
NUMBERED = 16
SIDE = 30


def head_agreement_figure(found: HeadAgreement, scores: Scores, picked: tuple[int, int] | None = None) -> Figure:
    """Tau of each head with the scores; a click on a cell opens the head: its customdata are layer and head.

    Reads of what was found: stream, tau (L, H), n, band, reading (which row of a head was read, in words).
    picked: layer and head that are ringed.
    The card hears a click as "select".
    """
    taus, band = np.asarray(found.tau, np.float64), width_of(found.band)
    words = _caption(found, scores, taus, band)
    return from_plotly(
        name="headagreement",
        title=f"Heads that agree with {scores.title}",
        how_to="Each cell is a head: violet where its attention orders the words as the method does, orange where it "
        "orders them the other way round, hatched where they are not told from chance. Click a cell to open the head.",
        figure=_plot(taus, band, picked),
        caption=words,
        contents="Both hold tau of every head.",
        stem=stem_of("heads-agreement", (scores.model, found.stream, scores.method)),
        csv=lambda: _table(found, scores, taus, band),
        npz=lambda: npz_bytes({"tau": taus, "n": np.array(found.n), "chance_band": np.array(band)}, words),
    )


def _caption(found: HeadAgreement, scores: Scores, taus: np.ndarray, band: float) -> str:
    told = taus[np.isfinite(taus)]
    outside = int((np.abs(told) >= band).sum())
    return joined(
        [
            *source_words(scores),
            f"{found.stream} attention: {found.reading}",
            f"Kendall's tau-b with {scores.title} over {found.n} {scores.by}s of one text",
            "special tokens and padding left out",
            "magnitudes of signed scores" if scores.signed else "",
            band_words(found.band, found.n, f"{scores.by}s"),
            f"{outside} of {told.size} heads outside it, where about {0.05 * told.size:.0f} would be by chance",
            "agreement of one text is no measure of what a head does",
        ]
    )


def _plot(taus: np.ndarray, band: float, picked: tuple[int, int] | None) -> PlotlyFigure:
    import plotly.graph_objects as go

    layers, heads = taus.shape
    inside = np.abs(np.nan_to_num(taus)) < band
    figure = go.Figure(
        go.Heatmap(
            z=[finite(row) for row in np.where(inside, np.nan, taus)], zmin=-1, zmax=1, colorscale=DIVERGING, xgap=2,
            ygap=2, hoverinfo="skip", colorbar=colour_bar("tau"),
        )
    )  # fmt: skip
    hatch(figure, [(head - 0.46, layer - 0.46, head + 0.46, layer + 0.46) for layer, head in np.argwhere(inside)])
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    figure.add_trace(_targets(taus, inside, every))
    if picked is not None:
        layer, head = picked
        figure.add_shape(
            type="rect", x0=head - 0.48, x1=head + 0.48, y0=layer - 0.48, y1=layer + 0.48,
            line=dict(color=ACCENT, width=3),
        )  # fmt: skip
    common: dict[str, Any] = dict(showgrid=False, zeroline=False, ticks="", automargin=True)
    figure.update_xaxes(title="head", side="top", range=[-0.55, heads - 0.45], dtick=max(1, heads // 16), **common)
    figure.update_yaxes(title="layer", range=[layers - 0.45, -0.55], dtick=max(1, layers // 16), **common)
    figure.update_layout(
        height=130 + max(2, layers) * SIDE, margin=dict(l=10, r=10, t=20, b=10), showlegend=False, hovermode="closest",
        clickmode="event+select",
    )  # fmt: skip
    return figure


def _targets(taus: np.ndarray, inside: np.ndarray, every: list[tuple[int, int]]) -> Any:
    """What is clicked and pointed at: Plotly tells Python nothing of a heat map's own cells."""
    import plotly.graph_objects as go

    numbered = taus.shape[1] <= NUMBERED
    return go.Scatter(
        x=[head for _, head in every],
        y=[layer for layer, _ in every],
        mode="markers+text" if numbered else "markers",
        text=[signed(float(taus[place])) for place in every],
        textfont_size=11,
        marker=dict(symbol="square", size=SIDE - 4, opacity=0),
        unselected=dict(marker=dict(opacity=0), textfont=dict()),
        selected=dict(marker=dict(opacity=0)),
        customdata=[list(place) for place in every],
        hovertext=[
            f"<b>layer {layer}, head {head}</b><br>tau {signed(float(taus[layer, head]), 3)}"
            + ("<br>not told from chance" if inside[layer, head] else "")
            for layer, head in every
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _table(found: HeadAgreement, scores: Scores, taus: np.ndarray, band: float) -> bytes:
    layer, head = np.indices(taus.shape).reshape(2, -1)
    count = taus.size
    return csv_bytes(
        {
            "model": [guarded(scores.model)] * count,
            "stream": [found.stream] * count,
            "method": [scores.method] * count,
            "layer": layer,
            "head": head,
            "tau": taus.ravel(),
            "n": [found.n] * count,
            "chance_band": [band] * count,
        }
    )
