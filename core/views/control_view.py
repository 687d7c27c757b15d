"""How much of attention's agreement with a gradient comes from the weights being a factor of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.agreement.chance import critical_tau
from core.views.agreement_view_scale import BAND, NEUTRAL, band_words, finite, signed, width_of
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import look_of
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import source_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.agreement.control import Control
    from core.saliency import Scores

OWN, PERMUTED, UNIFORM = "own attention", "permuted attention", "uniform attention"
# Draws lie on several heights, in this order, so that equal ones are seen beside each other.
HEIGHTS = (0.0, 0.18, -0.18, 0.09, -0.09)


def control_figure(control: Control, attention: Scores, gradient: Scores, seed: int = 0) -> Figure:
    """Tau of attention and gradient: own, under permuted attention, and with the gradient under uniform attention.

    Reads of a control: own, permuted (one tau a draw), uniform (None where it was not measured), how (a sentence).
    attention, gradient: the scores that were compared; seed: of the draws, for the caption.
    """
    drawn, band = np.array(control.permuted, np.float64), critical_tau(control.n)
    words = _caption(control, attention, gradient, band, seed)
    return from_plotly(
        name="control",
        title="Control: attention that means nothing",
        how_to="The gradient of a word has its attention weight as a factor, so the two agree even where weights mean "
        "nothing. Compare the diamond with the dots: only what lies to the right of them is more than algebra.",
        figure=_plot(control, drawn, band),
        caption=words,
        contents="Both hold tau of the model's own attention, of each permutation and under uniform attention.",
        stem=stem_of("control", (attention.model, attention.method, gradient.method)),
        csv=lambda: _table(control, attention, gradient),
        npz=lambda: npz_bytes(_arrays(control, drawn, band), words),
    )


def _caption(control: Control, attention: Scores, gradient: Scores, band: float, seed: int) -> str:
    count = len(control.permuted)
    own = f"own tau {signed(control.own)}"
    permuted = f"permuted {signed(control.mean)} ± {signed(_sd(control))}" if count else ""
    return joined(
        [
            f"{attention.title} and {gradient.title}",
            *source_words(gradient),
            own,
            f"{permuted} (mean ± standard deviation of {count} draws, seed {seed})" if permuted else "",
            f"uniform {signed(control.uniform)}" if control.uniform is not None else "",
            "permuted: the weights of the words are put in random order, and the gradient is worked out under them",
            "uniform: the model's own weights beside the gradient under equal ones"
            if control.uniform is not None
            else "",
            control.how,
            band_words(band, control.n, f"{gradient.by}s"),
            "magnitudes of signed scores" if gradient.signed else "",
            "special tokens and padding left out",
        ]
    )


def _sd(control: Control) -> float:
    """Standard deviation of the draws that order anything; 0 of a single one."""
    told = np.array([tau for tau in control.permuted if np.isfinite(tau)])
    return float(told.std(ddof=1)) if len(told) > 1 else 0.0


def _plot(control: Control, drawn: np.ndarray, band: float) -> PlotlyFigure:
    import plotly.graph_objects as go

    rows = [OWN, PERMUTED, *([UNIFORM] if control.uniform is not None else [])]
    figure = go.Figure()
    figure.add_vrect(-width_of(band), width_of(band), fillcolor=BAND, line_width=0, layer="below")
    figure.add_vline(0, line=dict(width=1, color=NEUTRAL), layer="below")
    figure.add_trace(_marks([control.own], [0.0], OWN, "diamond", 16, look_of(0).colour))
    heights = [1 + HEIGHTS[place % len(HEIGHTS)] for place in range(len(drawn))]
    figure.add_trace(_marks(drawn.tolist(), heights, PERMUTED, "circle-open", 9, look_of(1).colour))
    if np.isfinite(drawn).any():
        figure.add_trace(_spread(control.mean, _sd(control)))
    if control.uniform is not None:
        figure.add_trace(_marks([control.uniform], [2.0], UNIFORM, "square", 13, look_of(2).colour))
    figure.update_xaxes(
        range=[-1.05, 1.05], title="Kendall's tau with the gradient", zeroline=False, tickvals=[-1, -0.5, 0, 0.5, 1]
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.4, -0.6], showgrid=False, zeroline=False,
        ticks="", automargin=True,
    )  # fmt: skip
    figure.add_annotation(
        text="chance", x=0, y=1, xref="x", yref="paper", yanchor="bottom", showarrow=False, font_size=11
    )
    figure.update_layout(
        height=90 + 62 * len(rows), margin=dict(l=10, r=20, t=24, b=10), showlegend=False, hovermode="closest"
    )
    return figure


def _marks(x: list[float], y: list[float], name: str, symbol: str, size: int, colour: str) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=finite(x), y=y, mode="markers", name=name, cliponaxis=False,
        marker=dict(symbol=symbol, size=size, color=colour, line=dict(width=1.6, color=colour)),
        hovertemplate=f"{escaped(name)}: tau %{{x:.3f}}<extra></extra>",
    )  # fmt: skip


def _spread(mean: float, spread: float) -> Any:
    """Mean and one standard deviation to each side, below the draws."""
    import plotly.graph_objects as go

    colour = look_of(1).colour
    return go.Scatter(
        x=[mean], y=[1.36], mode="markers", name="mean of the permutations",
        error_x=dict(type="data", array=[spread], color=colour, thickness=2.2, width=7),
        marker=dict(symbol="line-ns-open", size=14, color=colour, line=dict(width=3, color=colour)),
        hovertemplate=f"mean of the permutations: %{{x:.3f}} ± {spread:.3f}<extra></extra>",
    )  # fmt: skip


def _table(control: Control, attention: Scores, gradient: Scores) -> bytes:
    uniform = [] if control.uniform is None else [(UNIFORM, "", control.uniform)]
    lines = [
        (OWN, "", control.own), *((PERMUTED, draw, tau) for draw, tau in enumerate(control.permuted)), *uniform
    ]  # fmt: skip
    return csv_bytes(
        {
            "model": [guarded(attention.model)] * len(lines),
            "attention": [attention.method] * len(lines),
            "gradient": [gradient.method] * len(lines),
            "weights": [name for name, _, _ in lines],
            "draw": [draw for _, draw, _ in lines],
            "tau": [tau for _, _, tau in lines],
        }
    )


def _arrays(control: Control, drawn: np.ndarray, band: float) -> dict[str, np.ndarray]:
    uniform = np.nan if control.uniform is None else control.uniform
    return {
        "own": np.array(control.own),
        "permuted": drawn,
        "uniform": np.array(uniform),
        "chance_band": np.array(band),
    }
