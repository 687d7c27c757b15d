"""How much methods agree about the words of a text: every pair in a matrix, chance hatched, baselines apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import DIVERGING, band_words, colour_bar, finite, hatch, signed, width_of
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import methods_words, target_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Heatmap

    from core.agreement import Matrix
    from core.saliency import Scores

STATISTICS = {"tau": "Kendall's tau-b", "rho": "Spearman's rho", "kappa": "Cohen's kappa of the top words"}
# In cells: what parts the baselines from the methods; in pixels: the side of a cell.
GAP = 0.45
SIDE = 34
LONGEST = 26
# Behind the name of a method that is paired with itself.
AGAIN = " (another seed)"
# Columns up to which a cell has room for the 0 before the point.
ROOMY = 10


def agreement_figure(matrix: Matrix, scored: Sequence[Scores], statistic: str = "tau") -> Figure:
    """Agreement of each pair of columns. scored: what the methods' columns were made of, for the caption.

    Reads of a matrix: names, titles, plain, drawn, tau, rho, kappa (M, M), n, sd0, band.
    statistic: a name of `STATISTICS`; cells inside the chance band are hatched where it is tau.
    """
    words = _caption(matrix, scored, statistic)
    model = scored[0].model if scored else ""
    return from_plotly(
        name="agreement",
        title=f"Agreement between methods · {STATISTICS[statistic]}",
        how_to="Each cell compares two methods: 1 where they order the words alike, −1 where the order is reversed. "
        "Hatched cells are within what unrelated orders reach by chance. On the diagonal, what draws at random beside "
        "itself drawn from another seed. Beyond the gap: orders that need no model. "
        "A method that agrees no better with others than with these has told little.",
        figure=_plot(matrix, statistic),
        caption=words,
        contents="Both hold tau, rho and kappa of every pair; kappa is of the fifth of the words that each puts first. "
        f"What draws at random is paired with itself too: {AGAIN!r} in the table, the archive's diagonal.",
        stem=stem_of("agreement", (model, *(_targets(scored)[:1]))),
        csv=lambda: _table(matrix),
        npz=lambda: _archive(matrix, words),
    )


def _targets(scored: Sequence[Scores]) -> list[str]:
    return list(dict.fromkeys(target_words(scores.target) for scores in scored))


def _caption(matrix: Matrix, scored: Sequence[Scores], statistic: str) -> str:
    units = f"{scored[0].by}s" if scored else "words"
    signs = [scores.title for scores in scored if scores.signed]
    baselines = [title for title, plain in zip(matrix.titles, matrix.plain, strict=True) if plain]
    return joined(
        [
            scored[0].model if scored else "",
            *(f"explained: {target}" for target in _targets(scored)),
            *methods_words(scored),
            f"{STATISTICS[statistic]} over {matrix.n} {units} of one text, special tokens and padding left out",
            f"with a sign: {', '.join(signs)}; of these the magnitudes beside what has no sign" if signs else "",
            _seeds_words(matrix, statistic),
            band_words(matrix.band, matrix.n, units) if statistic == "tau" else "",
            f"its standard deviation by chance is {matrix.sd0:.2f}" if statistic == "tau" else "",
            f"baselines that know no model: {', '.join(baselines)}" if baselines else "",
            "agreement is not faithfulness: two methods may agree and both miss what the model used",
        ]
    )


def _seeds_words(matrix: Matrix, statistic: str) -> str:
    """Of what draws at random, its agreement with itself from another seed."""
    own = np.diag(getattr(matrix, statistic))
    told = [f"{matrix.titles[place]} {signed(own[place])}" for place in np.flatnonzero(matrix.drawn)]
    return f"diagonal: drawn at random, {statistic} with itself from another seed: {', '.join(told)}" if told else ""


def _plot(matrix: Matrix, statistic: str) -> PlotlyFigure:
    import plotly.graph_objects as go

    count, values = len(matrix.names), np.asarray(getattr(matrix, statistic), np.float64)
    places = _places(matrix)
    figure = go.Figure()
    if count == 0:
        return figure
    hatched = _in_band(matrix) if statistic == "tau" else np.zeros((count, count), bool)
    figure.add_trace(_cells(matrix, values, hatched, places, statistic))
    hatch(
        figure,
        [
            (places[col] - 0.46, places[row] - 0.46, places[col] + 0.46, places[row] + 0.46)
            for row, col in np.argwhere(hatched)
        ],
    )
    rows, cols = (places_of.tolist() for places_of in np.nonzero(_told(matrix)))
    figure.add_trace(
        go.Scatter(
            x=[places[col] for col in cols],
            y=[places[row] for row in rows],
            text=[signed(values[row, col], leading=count <= ROOMY) for row, col in zip(rows, cols, strict=True)],
            mode="markers+text",
            marker=dict(symbol="square", size=SIDE - 6, opacity=0),
            textfont_size=12 if count <= ROOMY else 11,
            hovertext=[_hover(matrix, row, col, bool(hatched[row, col])) for row, col in zip(rows, cols, strict=True)],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    titles = [escaped(_short(title)) for title in matrix.titles]
    common: dict[str, Any] = dict(
        tickvals=places, ticktext=titles, showgrid=False, zeroline=False, ticks="", automargin=True, tickfont_size=12
    )
    figure.update_xaxes(side="top", tickangle=-40, range=[-0.55, places[-1] + 0.55], **common)
    figure.update_yaxes(range=[places[-1] + 0.55, -0.55], **common)
    figure.update_layout(
        height=int(150 + SIDE * (places[-1] + 1)),
        margin=dict(l=10, r=10, t=20, b=10),
        showlegend=False,
        hovermode="closest",
    )
    return figure


def _places(matrix: Matrix) -> list[float]:
    """Where the middle of each column stands: baselines after a gap."""
    return [place + (GAP if plain else 0) for place, plain in enumerate(matrix.plain)]


def _told(matrix: Matrix) -> np.ndarray:
    """(M, M) cells that say something: all pairs of two, and of the diagonal what was drawn again."""
    return ~np.eye(len(matrix.names), dtype=bool) | np.diag(matrix.drawn)


def _in_band(matrix: Matrix) -> np.ndarray:
    """Cells whose tau is not told from chance."""
    with np.errstate(invalid="ignore"):
        inside: np.ndarray = np.abs(matrix.tau) < width_of(matrix.band)
    return inside & _told(matrix)


def _cells(matrix: Matrix, values: np.ndarray, hatched: np.ndarray, places: list[float], statistic: str) -> Heatmap:
    """The cells between their edges; the gap is a row and a column of nothing, and so are the diagonal and the band."""
    import plotly.graph_objects as go

    count = len(places)
    shown = np.where(_told(matrix) & ~hatched, values, np.nan)
    split = next((place for place, plain in enumerate(matrix.plain) if plain), count)
    if 0 < split < count:
        shown = np.insert(np.insert(shown, split, np.nan, axis=0), split, np.nan, axis=1)
        left, right = places[:split], places[split:]
        edges = [*(p - 0.5 for p in left), split - 0.5, *(p - 0.5 for p in right), places[-1] + 0.5]
    else:
        edges = [*(p - 0.5 for p in places), places[-1] + 0.5]
    return go.Heatmap(
        x=edges, y=edges, z=[finite(row) for row in shown],
        zmin=-1, zmax=1, colorscale=DIVERGING, xgap=3, ygap=3, hoverinfo="skip", colorbar=colour_bar(statistic),
    )  # fmt: skip


def _hover(matrix: Matrix, row: int, col: int, inside: bool) -> str:
    numbers = [f"{name} {signed(float(getattr(matrix, name)[row, col]), 3)}" for name in STATISTICS]
    told = "<br>not told from chance" if inside else ""
    other = "itself from another seed" if row == col else f"<b>{escaped(matrix.titles[col])}</b>"
    return f"<b>{escaped(matrix.titles[row])}</b> and {other}<br>" + (" · ".join(numbers) + told)


def _short(title: str) -> str:
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"


def _table(matrix: Matrix) -> bytes:
    """One line a pair, each pair once; then what draws at random with itself from another seed."""
    pairs = [(row, col) for row in range(len(matrix.names)) for col in range(row + 1, len(matrix.names))]
    pairs += [(place, place) for place in np.flatnonzero(matrix.drawn).tolist()]
    columns: dict[str, object] = {
        "one": [guarded(matrix.names[row]) for row, _ in pairs],
        "other": [guarded(matrix.names[col]) + (AGAIN if row == col else "") for row, col in pairs],
        **{name: [float(getattr(matrix, name)[pair]) for pair in pairs] for name in STATISTICS},
        "n": [matrix.n] * len(pairs),
        "sd_by_chance": [matrix.sd0] * len(pairs),
        "chance_band": [matrix.band] * len(pairs),
    }
    return csv_bytes(columns)


def _archive(matrix: Matrix, words: str) -> bytes:
    arrays = {name: np.asarray(getattr(matrix, name), np.float64) for name in STATISTICS}
    numbers = {"n": np.array(matrix.n), "sd_by_chance": np.array(matrix.sd0), "chance_band": np.array(matrix.band)}
    return npz_bytes({**arrays, **numbers, "names": label_array(matrix.names), "drawn": np.array(matrix.drawn)}, words)
