"""How long a model takes by the length of the source: reading it, reading it with a given target, and writing one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.views.curves_drawing import log_ticks
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import add_keys, keys_height, line_style
from core.views.plotly import escaped, from_plotly
from core.views.quality import OVER_TITLES
from core.views.runs import joined, stem_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Scatter

PARTS = (
    ("Read the source (encode)", "encode_seconds"),
    ("Read source and target (train)", "forced_seconds"),
    ("Write token by token (decode)", "decode_seconds"),
)


class TimingLike(Protocol):
    """One measured point: medians in seconds for a source of `length` tokens and a target of `tokens`.

    encode: the source is read; forced: source and target, all given, are read; decode: the target is written.
    """

    @property
    def model(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def encode_seconds(self) -> float: ...
    @property
    def forced_seconds(self) -> float: ...
    @property
    def decode_seconds(self) -> float: ...
    @property
    def tokens(self) -> int: ...


def seconds_figure(timings: Sequence[TimingLike], about: str = "", models: Sequence[str] = ()) -> Figure:
    """Seconds by source length, both axes logarithmic.

    about: the machine, for the caption; models: all models in their order, so that one keeps its colour before its
    first point is there; () for those of the timings.
    """
    names = list(models) or list(dict.fromkeys(timing.model for timing in timings))
    words = joined(
        [
            *names,
            about,
            "median of repeated runs after a warm-up, one sentence at a time",
            "the target has as many tokens as the source, whatever the model would say",
            "train: forward pass with the target given (teacher forcing), no backward pass",
            "both axes logarithmic: a cost in proportion to the length is a straight line that doubles with it",
        ]
    )
    return from_plotly(
        name="seconds",
        title="Seconds by source length",
        how_to="Each point is a source of that many tokens. A recurrent network goes from token to token, even where "
        "all of them are given; a Transformer reads them at once. Both write one token at a time. Hover for seconds.",
        figure=_plot(timings, names),
        caption=words,
        contents="The CSV table and the NumPy archive hold the seconds of every point and its number of tokens.",
        stem=stem_of("seconds", (about, *names)),
        csv=lambda: _table(timings),
        npz=lambda: _archive(timings, words),
    )


def _plot(timings: Sequence[TimingLike], names: Sequence[str]) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    figure = make_subplots(
        1, len(PARTS), shared_yaxes=True, subplot_titles=[title for title, _ in PARTS], horizontal_spacing=0.03
    )
    figure.update_annotations(font_size=13, yshift=4)
    for index, name in enumerate(names):
        own = sorted((timing for timing in timings if timing.model == name), key=lambda timing: timing.length)
        for column, (_, field) in enumerate(PARTS, 1):
            figure.add_trace(_line(index, own, name, field), 1, column)
    add_keys(figure, list(names), OVER_TITLES)
    figure.update_layout(
        height=340 + keys_height(len(names)),
        margin=dict(l=10, r=10, t=OVER_TITLES + 12 + keys_height(len(names)), b=10),
        hovermode="closest",
        showlegend=False,
    )
    lengths = sorted({timing.length for timing in timings})
    figure.update_xaxes(
        type="log",
        title=dict(text="source length (tokens)", standoff=14),
        tickvals=lengths or None,
        tickformat=",d",
        zeroline=False,
        automargin=True,
    )
    seconds = [getattr(timing, field) for timing in timings for _, field in PARTS]
    ticks = log_ticks(seconds)
    figure.update_yaxes(type="log", tickvals=ticks, zeroline=False, automargin=True)
    if ticks:
        figure.update_yaxes(ticktext=[duration_words(tick) for tick in ticks])
    return figure


def duration_words(seconds: float) -> str:
    """A duration in the unit that has no long row of zeros: "0.2 ms", "20 ms", "2 s"."""
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


def _line(index: int, timings: Sequence[TimingLike], name: str, field: str) -> Scatter:
    import plotly.graph_objects as go

    counts = [timing.tokens if field == "decode_seconds" else timing.length for timing in timings]
    seconds = [float(getattr(timing, field)) for timing in timings]
    return go.Scatter(
        x=[timing.length for timing in timings],
        # No logarithm shows a duration of nothing.
        y=[value if value > 0 else None for value in seconds],
        customdata=[[count, 1000 * value / max(1, count)] for count, value in zip(counts, seconds, strict=True)],
        name=escaped(name),
        hovertemplate=f"{escaped(name)}<br>source of %{{x:,d}} tokens: %{{y:.3~g}} s<br>"
        "%{customdata[0]:,d} tokens, %{customdata[1]:.3~g} ms a token<extra></extra>",
        **line_style(index),
    )


def _table(timings: Sequence[TimingLike]) -> bytes:
    return csv_bytes(
        {
            "model": [guarded(timing.model) for timing in timings],
            "source_length": [timing.length for timing in timings],
            "encode_seconds": [timing.encode_seconds for timing in timings],
            "forced_seconds": [timing.forced_seconds for timing in timings],
            "decode_seconds": [timing.decode_seconds for timing in timings],
            "written_tokens": [timing.tokens for timing in timings],
        }
    )


def _archive(timings: Sequence[TimingLike], words: str) -> bytes:
    arrays = {
        "models": np.array([timing.model for timing in timings], np.str_),
        "source_length": np.array([timing.length for timing in timings], np.int64),
        "encode_seconds": np.array([timing.encode_seconds for timing in timings], np.float64),
        "forced_seconds": np.array([timing.forced_seconds for timing in timings], np.float64),
        "decode_seconds": np.array([timing.decode_seconds for timing in timings], np.float64),
        "written_tokens": np.array([timing.tokens for timing in timings], np.int64),
    }
    return npz_bytes(arrays, words)
