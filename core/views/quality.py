"""How good translations are by the length of the source: BLEU and chrF of each model, and on how many sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import add_keys, keys_height, line_style
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

# A score of fewer sentences than this is hollow: it says little.
FEWEST = 10
# Pixels from the plots to the keys of the models, over the plots' titles.
OVER_TITLES = 42
MEASURES = (("BLEU", "bleu"), ("chrF", "chrf"))


@dataclass(frozen=True)
class QualityBin:
    """The scores of the sentences whose source has `low` to `high` words. bleu, chrf: 0 to 100."""

    low: int
    high: int
    sentences: int
    bleu: float
    chrf: float

    @property
    def span(self) -> tuple[int, int]:
        """Its shortest and its longest source."""
        return self.low, self.high

    @property
    def words(self) -> str:
        """The bin in words."""
        return f"{self.low} to {self.high} words" if self.low < self.high else f"{self.low} words"


@dataclass(frozen=True)
class QualityCurve:
    """One model's scores by source length. about: network and size, for the caption."""

    label: str
    bins: Sequence[QualityBin]
    about: str = ""


def quality_bins(quality: Iterable[Mapping[str, Any]]) -> tuple[QualityBin, ...]:
    """The entry "quality" of a shipped model's training.json as bins, by rising length.

    Empty bins are left out, and so is what a damaged file has in place of a bin.
    """
    bins = map(_bin, quality if isinstance(quality, list | tuple) else ())
    return tuple(sorted((each for each in bins if each and each.sentences > 0), key=lambda each: each.low))


def _bin(told: Any) -> QualityBin | None:
    try:
        low, high = map(int, told["words"])
        found = QualityBin(low, high, int(told["sentences"]), _number(told["bleu"]), _number(told["chrf"]))
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return found if all(math.isnan(score) or 0 <= score <= 100 for score in (found.bleu, found.chrf)) else None


def quality_figure(curves: Sequence[QualityCurve], about: str = "") -> Figure:
    """BLEU and chrF of each model by source length. about: the sentences it was measured on, for the caption."""
    words = _caption(curves, about)
    return from_plotly(
        name="quality",
        title="Translation quality by source length",
        how_to="Each point is a range of source lengths. Hover for the scores and the number of sentences; a hollow "
        f"point has fewer than {FEWEST} of them and says little. A model without attention holds the whole source in "
        "one vector: look whether it loses more on long sentences.",
        figure=_plot(curves),
        caption=words,
        contents="The CSV table and the NumPy archive hold BLEU, chrF and the number of sentences of each range.",
        stem=stem_of("quality", (about, *(curve.label for curve in curves))),
        csv=lambda: _table(curves),
        npz=lambda: _archive(curves, words),
    )


def _caption(curves: Sequence[QualityCurve], about: str) -> str:
    few = any(each.sentences < FEWEST for curve in curves for each in curve.bins)
    counts = {curve.label: sum(each.sentences for each in curve.bins) for curve in curves}
    same = len(set(counts.values())) == 1
    counted = f"{next(iter(counts.values())):,} sentences" if same else ""
    return joined(
        [
            *(_curve_words(curve, 0 if same else counts[curve.label]) for curve in curves),
            about,
            counted,
            "sentences that were not trained on, translated greedily",
            "BLEU: n-grams of words up to 4 that the reference has, times a penalty for short output, 0 to 100",
            "chrF: F-score of n-grams of characters, recall counted twice, 0 to 100",
            "both with translation and reference lower-cased, against the first reference",
            "each range scored as a corpus of its own, ranges at equal distances",
            f"hollow: fewer than {FEWEST} sentences" if few else "",
        ]
    )


def _curve_words(curve: QualityCurve, sentences: int) -> str:
    facts = ", ".join(filter(None, [curve.about, f"{sentences:,} sentences" if sentences else ""]))
    return f"{curve.label}: {facts}" if facts else curve.label


def _plot(curves: Sequence[QualityCurve]) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    figure = make_subplots(1, 2, subplot_titles=[name for name, _ in MEASURES], horizontal_spacing=0.08)
    figure.update_annotations(font_size=13, yshift=4)
    spans = sorted({each.span for curve in curves for each in curve.bins})
    for index, curve in enumerate(curves):
        for column, (name, field) in enumerate(MEASURES, 1):
            figure.add_trace(_line(index, curve, spans, name, field), 1, column)
    add_keys(figure, [curve.label for curve in curves], OVER_TITLES)
    figure.update_layout(
        height=330 + keys_height(len(curves)),
        margin=dict(l=10, r=10, t=OVER_TITLES + 12 + keys_height(len(curves)), b=10),
        hovermode="closest",
        showlegend=False,
    )
    figure.update_xaxes(
        title=dict(text="source length (words)", standoff=14),
        tickvals=list(range(len(spans))),
        ticktext=[f"{low}–{high}" for low, high in spans],
        tickangle=0,
        tickfont_size=11,
        range=[-0.5, len(spans) - 0.5],
        zeroline=False,
        automargin=True,
    )
    figure.update_yaxes(rangemode="tozero", zeroline=False, automargin=True)
    return figure


def _line(index: int, curve: QualityCurve, spans: Sequence[tuple[int, int]], name: str, field: str) -> Scatter:
    """Ranges stand at equal distances: by their lengths, the names of the short ones would lie over each other."""
    import plotly.graph_objects as go

    return go.Scatter(
        x=[spans.index(each.span) for each in curve.bins],
        y=[_drawn(getattr(each, field)) for each in curve.bins],
        customdata=[[each.words, each.sentences] for each in curve.bins],
        name=escaped(curve.label),
        hovertemplate=f"{escaped(curve.label)}<br>%{{customdata[0]}}: {name} %{{y:.1f}}<br>"
        "%{customdata[1]:,d} sentences<extra></extra>",
        **line_style(index, [each.sentences < FEWEST for each in curve.bins]),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _drawn(value: float) -> float | None:
    """A gap where there is no number."""
    return value if math.isfinite(value) else None


def _table(curves: Sequence[QualityCurve]) -> bytes:
    points = [(curve.label, each) for curve in curves for each in curve.bins]
    return csv_bytes(
        {
            "model": [guarded(label) for label, _ in points],
            "words_from": [each.low for _, each in points],
            "words_to": [each.high for _, each in points],
            "sentences": [each.sentences for _, each in points],
            "bleu": [each.bleu for _, each in points],
            "chrf": [each.chrf for _, each in points],
        }
    )


def _archive(curves: Sequence[QualityCurve], words: str) -> bytes:
    """Arrays of each model, its number at the end of their names."""
    arrays: dict[str, np.ndarray] = {"labels": np.array([curve.label for curve in curves], np.str_)}
    for number, curve in enumerate(curves, 1):
        arrays |= {
            f"words_{number}": np.array([[e.low, e.high] for e in curve.bins], np.int64).reshape(-1, 2),
            f"sentences_{number}": np.array([e.sentences for e in curve.bins], np.int64),
            f"bleu_{number}": np.array([e.bleu for e in curve.bins], np.float64),
            f"chrf_{number}": np.array([e.chrf for e in curve.bins], np.float64),
        }
    return npz_bytes(arrays, words)
