"""Mean attention weight by distance, a line a head, over what the positional scheme itself says of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import HeadlightError
from core.views.agreement_view_scale import NEUTRAL, finite
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.head_family import CHOSEN, STRONG, add_head_keys, drawn_heads, few_words, head_line
from core.views.keys import LINE_HEIGHT, Key, add_key
from core.views.plotly import escaped, from_plotly
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined
from core.views.scales import short_number
from core.views.wavelengths_view import decade_ticks

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.heads.distances import AttentionByDistance
    from core.positions.objects import ByDistance
    from core.views.position_words import About

# Pixels of the panel of weights, and of each one under it.
WEIGHTS, SMALL, AROUND = 236, 104, 100
# Weights below this lie on the lower edge; no axis reaches farther down.
FLOOR = 1e-6
MEAN = "#c65a9e"
SCHEME = "#0f9b76"
SCHEME_WORDS = {"similarity": "similarity", "bias": "bias", "bucket": "row"}


@dataclass(frozen=True, eq=False)
class _Found:
    """As `AttentionByDistance` has it, in NumPy: offsets (N,), weights (H, N), uniform, counts (N,), scores (H, N)."""

    offsets: np.ndarray
    weights: np.ndarray
    uniform: np.ndarray
    counts: np.ndarray
    scores: np.ndarray | None


def attention_by_distance_figure(
    found: AttentionByDistance,
    about: About,
    layer: int,
    head: int | None = None,
    scheme: ByDistance | None = None,
    scheme_title: str = "",
) -> Figure:
    """Mean weight by offset of the heads of a layer, their mean, and that of rows that spread their weight evenly.

    about: the model, and in its settings the text and what was left out; head: the one that is drawn strong;
    scheme: what the scheme itself gives each offset, drawn under the weights; scheme_title: its name.
    Raises HeadlightError for a head that there is not, and where no offset was found.
    """
    read = _read(found)
    count = len(read.weights)
    if head is not None and not 0 <= head < count:
        raise HeadlightError(f"There is no head {head} in layer {layer}: choose one of 0 to {count - 1}.")
    if not len(read.offsets):
        raise HeadlightError("No query attends to a key at any distance here: choose a longer text.")
    own = None if scheme is None else _own_of(scheme, scheme_title, read.offsets, head)
    words = _caption(about, read, layer, head, own)
    return from_plotly(
        name=figure_name(about, "attention"),
        title=f"Attention by distance · layer {layer}",
        how_to="Each line is a head's mean weight on a key at that offset, whatever the words are. Compare its shape "
        "with what the scheme itself gives to that distance, and with uniform attention: the rest was learned.",
        figure=_plot(read, head, own),
        caption=words,
        contents="Both hold mean weight, uniform weight, number of pairs and, where it is known, mean score of each "
        "head and offset.",
        stem=file_stem(f"attention-by-distance_layer-{layer}", about),
        csv=lambda: csv_bytes(_columns(about, read, layer)),
        npz=lambda: npz_bytes(_arrays(read, own), words),
    )


@dataclass(frozen=True, eq=False)
class _Own:
    """What the scheme gives each offset that the text has. what: as in `ByDistance`; values (H or 1, N)."""

    what: str
    title: str
    name: str
    colour: str
    offsets: np.ndarray
    values: np.ndarray


def _own_of(scheme: ByDistance, title: str, offsets: np.ndarray, head: int | None) -> _Own:
    """Within the text's offsets; of a head that the scheme tells apart its own line, else every line that there is."""
    told = scheme.offsets.detach().cpu().numpy()
    there = (told >= offsets.min()) & (told <= offsets.max())
    values = scheme.values.detach().cpu().double().numpy()[:, there]
    title = title or "the scheme"
    if head is not None and 1 < len(values) > head:
        return _Own(scheme.what, title, f"head {head}", CHOSEN, told[there], values[[head]])
    return _Own(scheme.what, title, title, SCHEME, told[there], values)


def _read(found: AttentionByDistance) -> _Found:
    def array(values: Any) -> np.ndarray:
        return np.asarray(values.detach().cpu().numpy())

    scores = None if found.scores is None else array(found.scores.float())
    return _Found(
        array(found.offsets), array(found.weights.float()), array(found.uniform.float()), array(found.counts), scores
    )


def _caption(about: About, read: _Found, layer: int, head: int | None, own: _Own | None) -> str:
    count = len(read.weights)
    low = _floor(read)
    below = int((read.weights < low).sum())
    return joined(
        [
            about.words,
            f"layer {layer}, {f'strong: head {head} of {count}' if head is not None else f'{count} heads'}",
            few_words(len(drawn_heads(tuple(range(count)), head)), count),
            f"{int(read.counts.sum()):,} pairs of tokens",
            "mean weight of one key at that offset; dashed: rows that spread their weight evenly over all visible keys",
            f"logarithmic axis from {short_number(low)}" + (f", {below} smaller means on its edge" if below else ""),
            "score: before softmax, mean over pairs that are not masked" if read.scores is not None else "",
            f"{SCHEME_WORDS.get(own.what, own.what)} of {own.title} by itself, without any text" if own else "",
        ]
    )


def _floor(read: _Found) -> float:
    """The lower end of the axis: what the smallest weight needs, and FLOOR at least."""
    positive = read.weights[read.weights > 0]
    smallest = min(float(positive.min(initial=1.0)), float(read.uniform[read.uniform > 0].min(initial=1.0)))
    return float(max(10 ** np.floor(np.log10(smallest)), FLOOR))


def _plot(read: _Found, head: int | None, own: _Own | None) -> PlotlyFigure:
    from plotly.subplots import make_subplots

    panels = ["weights", *(["scores"] if read.scores is not None else []), *(["own"] if own else [])]
    heights = [WEIGHTS, *[SMALL] * (len(panels) - 1)]
    figure = make_subplots(len(panels), 1, shared_xaxes=True, vertical_spacing=0.05, row_heights=heights)
    low = _floor(read)
    count = len(read.weights)
    drawn = drawn_heads(tuple(range(count)), head)
    _add_heads(figure, read, drawn, head, np.maximum(read.weights, low), "weight %{y:.3~g}", 1)
    _add_line(figure, read.offsets, read.uniform, "uniform", dict(color=NEUTRAL, width=1.8, dash="dash"), 1, read)
    mean = np.maximum(read.weights.mean(0), low)  # (H, N) -> (N,)
    _add_line(figure, read.offsets, mean, "mean of heads", dict(color=MEAN, width=STRONG), 1, read)
    top = float(np.log10(max(float(read.weights.max(initial=low)), low * 10)))
    powers, texts = decade_ticks(np.log10(low), top)
    figure.update_yaxes(
        title=dict(text="mean weight", standoff=14), type="log", range=[np.log10(low) - 0.06, top + 0.12],
        tickvals=[10.0**power for power in powers], ticktext=texts, row=1,
    )  # fmt: skip
    if read.scores is not None:
        _add_heads(figure, read, drawn, head, read.scores, "score %{y:.3~g}", 2)
        scored = np.nanmean(read.scores, axis=0) if np.isfinite(read.scores).any(0).all() else _means(read.scores)
        _add_line(figure, read.offsets, scored, "mean of heads", dict(color=MEAN, width=2.4), 2, read)
        figure.update_yaxes(title=dict(text="score", standoff=14), row=2)
    if own:
        _add_own(figure, own, len(panels))
    _lay_out(figure, read, len(panels), sum(heights))
    _add_keys(figure, drawn, count, head)
    return figure


def _means(scores: np.ndarray) -> np.ndarray:
    """Mean over the heads that have a score there: (H, N) -> (N,), NaN where none has."""
    known = np.isfinite(scores)
    counts = known.sum(0)
    sums = np.where(known, scores, 0).sum(0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _add_heads(
    figure: PlotlyFigure, read: _Found, drawn: tuple[int, ...], head: int | None, values: np.ndarray, hover: str,
    row: int,
) -> None:  # fmt: skip
    import plotly.graph_objects as go

    for each in sorted(drawn, key=lambda other: other == head):
        style = head_line(each, len(values), head)
        figure.add_trace(
            go.Scatter(
                x=read.offsets, y=values[each], customdata=read.counts, mode=_mode(read.offsets), name=f"head {each}",
                marker=dict(size=4, color=style["line"]["color"]),
                hovertemplate=f"head {each}<br>offset %{{x}}: {hover}<br>%{{customdata:,}} pairs<extra></extra>",
                **style,
            ), row, 1,
        )  # fmt: skip


def _mode(offsets: np.ndarray) -> str:
    """A lone offset is a point: it has no line."""
    return "lines" if len(offsets) > 1 else "markers"


def _add_line(
    figure: PlotlyFigure, offsets: np.ndarray, values: np.ndarray, name: str, line: dict[str, Any], row: int,
    read: _Found,
) -> None:  # fmt: skip
    import plotly.graph_objects as go

    figure.add_trace(
        go.Scatter(
            x=offsets, y=finite(values), customdata=read.counts, mode=_mode(offsets), name=name, line=line,
            marker=dict(size=6, color=line["color"]),
            hovertemplate=f"{name}<br>offset %{{x}}: %{{y:.3~g}}<br>%{{customdata:,}} pairs<extra></extra>",
        ), row, 1,
    )  # fmt: skip


def _add_own(figure: PlotlyFigure, own: _Own, row: int) -> None:
    """The scheme's lines: one, or one a head where heads differ."""
    import plotly.graph_objects as go

    count = len(own.values)
    word = SCHEME_WORDS.get(own.what, own.what)
    for each in drawn_heads(tuple(range(count)), None):
        style = head_line(each, count, None) if count > 1 else dict(line=dict(color=own.colour, width=2.4))
        name = f"head {each}" if count > 1 else own.name
        style["line"] = {**style["line"], "shape": "hvh" if own.what == "bucket" else "linear"}
        figure.add_trace(
            go.Scatter(
                x=own.offsets, y=finite(own.values[each]), mode="lines", name=escaped(name),
                hovertemplate=f"{escaped(name)}<br>offset %{{x}}: {word} %{{y:.3~g}}<extra></extra>", **style,
            ), row, 1,
        )  # fmt: skip
    figure.update_yaxes(title=dict(text=word, standoff=14), row=row)


def _lay_out(figure: PlotlyFigure, read: _Found, panels: int, pixels: int) -> None:
    low, high = float(read.offsets.min()), float(read.offsets.max())
    edge = 0.02 * max(high - low, 1.0)
    figure.update_layout(
        height=pixels + AROUND, margin=dict(l=10, r=14, t=18 + 2 * LINE_HEIGHT, b=10), showlegend=False,
        hovermode="closest",
    )  # fmt: skip
    figure.update_xaxes(range=[low - edge, high + edge], zeroline=False, automargin=True)
    figure.update_xaxes(title=dict(text="offset (key − query), tokens", standoff=10), row=panels)
    figure.update_yaxes(zeroline=False, automargin=True)


def _add_keys(figure: PlotlyFigure, drawn: tuple[int, ...], count: int, head: int | None) -> None:
    """Two rows over the plot: mean and uniform, then the heads."""
    add_key(figure, Key(f"mean of {count} heads", MEAN, STRONG), 0, 1, 12 + LINE_HEIGHT)
    add_key(figure, Key("uniform", NEUTRAL, 1.8, "dash"), 0.54, 1, 12 + LINE_HEIGHT)
    add_head_keys(figure, drawn, count, head, 12)


def _columns(about: About, read: _Found, layer: int) -> dict[str, object]:
    head, place = np.indices(read.weights.shape).reshape(2, -1)
    scores = {} if read.scores is None else {"score": read.scores.ravel()}
    return {
        "model": [guarded(about.source)] * len(head),
        "layer": layer,
        "head": head,
        "offset": read.offsets[place],
        "pairs": read.counts[place],
        "weight": read.weights.ravel(),
        "uniform": read.uniform[place],
        **scores,
    }


def _arrays(read: _Found, own: _Own | None) -> dict[str, np.ndarray]:
    scores = {} if read.scores is None else {"scores": read.scores}
    told = {} if own is None else {"scheme_offsets": own.offsets, "scheme": own.values}
    return {
        "offsets": read.offsets,
        "pairs": read.counts,
        "weights": read.weights,
        "uniform": read.uniform,
        **scores,
        **told,
    }
