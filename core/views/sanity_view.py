"""Whether a method looks at the model at all: its scores as trained weights are replaced by random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.views.agreement_view_scale import BAND, NEUTRAL, band_words, finite, signed, width_of
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import add_keys, keys_height, line_style
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import methods_words, target_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.agreement.sanity import Sanity
    from core.saliency import Scores

TRAINED = "as trained"
LONGEST = 22


def sanity_figure(found: Mapping[str, Sanity], scored: Sequence[Scores]) -> Figure:
    """Tau with the trained model's scores at each stage, a line a method.

    Reads of each result: stages (names, in order), tau (one a stage), n, band, seed, remarks. found: by name of the
    method; scored: the trained model's scores of these methods, for names and caption.
    """
    titles = {scores.method: scores.title for scores in scored}
    words = _caption(found, scored, titles)
    return from_plotly(
        name="sanity",
        title="Scores as the weights are randomised",
        how_to="From left to right more of the trained weights are replaced by random ones. Scores that describe the "
        "trained model must fall into the grey band; a line that stays up would look the same for any model.",
        figure=_plot(found, titles),
        caption=words,
        contents="Both hold tau of every method and stage.",
        stem=stem_of("sanity", (scored[0].model if scored else "", *found)),
        csv=lambda: _table(found, scored[0].model if scored else ""),
        npz=lambda: _archive(found, words),
    )


def _caption(found: Mapping[str, Sanity], scored: Sequence[Scores], titles: Mapping[str, str]) -> str:
    first = scored[0] if scored else None
    last = [
        f"{titles.get(name, name)} {signed(float(result.tau[-1]))}" for name, result in found.items() if len(result.tau)
    ]
    band = next((result.band for result in found.values()), None)
    signs = [scores.title for scores in scored if scores.signed]
    return joined(
        [
            first.model if first else "",
            f"explained: {target_words(first.target)}" if first else "",
            *methods_words(scored),
            "Kendall's tau-b with the trained model's own scores of the same text",
            f"magnitudes of {', '.join(signs)}" if signs else "",
            "weights drawn anew on a copy: the head, then each layer from the top, then the whole model",
            *(f"seed {seed}" for seed in sorted({result.seed for result in found.values()})),
            *dict.fromkeys(remark for result in found.values() for remark in result.remarks),
            f"in the end: {', '.join(last)}" if last else "",
            band_words(float(band), len(first.values), f"{first.by}s") if first and band is not None else "",
            "special tokens and padding left out",
            "Adebayo et al. 2018",
        ]
    )


def _plot(found: Mapping[str, Sanity], titles: Mapping[str, str]) -> PlotlyFigure:
    import plotly.graph_objects as go

    names = [titles.get(name, name) for name in found]
    stages = _stages(found)
    figure = go.Figure()
    if found:
        band = float(next(iter(found.values())).band)
        figure.add_hrect(-width_of(band), width_of(band), fillcolor=BAND, line_width=0, layer="below")
    figure.add_hline(0, line=dict(width=1, color=NEUTRAL), layer="below")
    for index, (name, result) in enumerate(zip(names, found.values(), strict=True)):
        figure.add_trace(
            go.Scatter(
                x=list(range(len(result.tau) + 1)),
                y=[1.0, *finite(result.tau)],
                customdata=[TRAINED, *map(escaped, result.stages)],
                name=escaped(name),
                hovertemplate=f"{escaped(name)}<br>%{{customdata}}: tau %{{y:.3f}}<extra></extra>",
                **line_style(index),
            )
        )
    add_keys(figure, names, 24)
    figure.update_xaxes(
        title="randomised so far", tickvals=list(range(len(stages))), zeroline=False, showgrid=False, automargin=True,
        ticktext=[escaped(stage if len(stage) <= LONGEST else f"{stage[: LONGEST - 1]}…") for stage in stages],
    )  # fmt: skip
    figure.update_yaxes(title="Kendall's tau", range=[-1.05, 1.08], zeroline=False, automargin=True)
    figure.update_layout(
        height=340 + keys_height(len(names)), margin=dict(l=10, r=20, t=30 + keys_height(len(names)), b=10),
        showlegend=False, hovermode="closest",
    )  # fmt: skip
    return figure


def _stages(found: Mapping[str, Sanity]) -> list[str]:
    """The names of the longest series; all methods go through the same stages."""
    return [TRAINED, *max((list(result.stages) for result in found.values()), key=len, default=[])]


def _table(found: Mapping[str, Sanity], model: str) -> bytes:
    lines = [
        (name, number, stage, float(tau), float(result.band))
        for name, result in found.items()
        for number, (stage, tau) in enumerate(zip(result.stages, result.tau, strict=True), 1)
    ]
    return csv_bytes(
        {
            "model": [guarded(model)] * len(lines),
            "method": [name for name, *_ in lines],
            "stage_index": [number for _, number, *_ in lines],
            "stage": [guarded(stage) for _, _, stage, *_ in lines],
            "tau": [tau for *_, tau, _ in lines],
            "chance_band": [band for *_, band in lines],
        }
    )


def _archive(found: Mapping[str, Sanity], words: str) -> bytes:
    """tau_1, stages_1, ... of each method, in the order of `methods`."""
    arrays: dict[str, np.ndarray] = {"methods": label_array(list(found))}
    for number, result in enumerate(found.values(), 1):
        arrays |= {
            f"tau_{number}": np.array(result.tau, np.float64),
            f"stages_{number}": label_array(list(result.stages)),
        }
    return npz_bytes(arrays, words)
