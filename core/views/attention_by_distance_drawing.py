"""How attention by distance is drawn: panels over one axis of offsets, most heads pale and a few named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import NEUTRAL, finite
from core.views.head_family import CHOSEN, STRONG, colour_of_head, drawn_heads
from core.views.keys import LINE_HEIGHT, Key
from core.views.plotly import escaped
from core.views.position_axes import BOTTOM, OVER, TOP, drawn_key, plotted, scale, titles
from core.views.position_grid import tick_step
from core.views.wavelengths_view import decade_ticks

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# Pixels of the panel of weights, of each one under it, and between two.
WEIGHTS, SMALL, BETWEEN = 230, 100, 36
# Lines break where a weight is smaller; no axis reaches farther down.
FLOOR = 1e-6
# Heads that are named because their weight lies nearest, and tokens between the nearest and the farthest, at least.
MOST_NAMED, LEAST_APART = 3, 0.5
PALE, THIN = "rgba(128, 132, 165, 0.8)", 1.0
MEAN = "#c65a9e"
SCHEME = "#0f9b76"
SCHEME_WORDS = {"similarity": "similarity", "bias": "bias", "bucket": "row"}


@dataclass(frozen=True, eq=False)
class Found:
    """As `AttentionByDistance` has it, in NumPy: offsets (N,), weights (H, N), uniform, counts (N,), scores (H, N)."""

    offsets: np.ndarray
    weights: np.ndarray
    uniform: np.ndarray
    counts: np.ndarray
    scores: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Own:
    """What the scheme gives each offset that the text has. what: as in `ByDistance`; values (H or 1, N)."""

    what: str
    title: str
    name: str
    colour: str
    offsets: np.ndarray
    values: np.ndarray


def floor_of(read: Found) -> float:
    """The lower end of the axis: what the smallest weight needs, and FLOOR at least."""
    positive = read.weights[read.weights > 0]
    smallest = min(float(positive.min(initial=1.0)), float(read.uniform[read.uniform > 0].min(initial=1.0)))
    return float(max(10 ** np.floor(np.log10(smallest)), FLOOR))


def reaches(read: Found) -> np.ndarray:
    """Mean distance of the weight of each head, in tokens: (H, N) -> (H,), NaN of a head without weight."""
    mass = read.weights.astype(np.float64) * read.counts  # (H, N)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((mass * np.abs(read.offsets)).sum(-1) / mass.sum(-1))


def nearest_heads(read: Found) -> tuple[int, ...]:
    """The few heads whose weight lies nearest; none where all are named anyway or reach equally far."""
    reach = reaches(read)
    known = np.flatnonzero(np.isfinite(reach))
    if len(known) <= MOST_NAMED or np.ptp(reach[known]) < LEAST_APART:
        return ()
    return tuple(int(head) for head in known[np.argsort(reach[known], kind="stable")][:MOST_NAMED])


def weights_plot(read: Found, head: int | None, own: Own | None) -> PlotlyFigure:
    """The panels of weights, of scores where they are known, and of the scheme itself."""
    names = ["mean weight", *(["score"] if read.scores is not None else [])]
    names += [SCHEME_WORDS.get(own.what, own.what)] if own else []
    heights = [WEIGHTS, *[SMALL] * (len(names) - 1)]
    pixels = sum(heights) + BETWEEN * (len(names) - 1)
    local, low = nearest_heads(read), floor_of(read)
    style = partial(_style, chosen=head, local=local)
    uniform = Look("uniform", dict(color=NEUTRAL, width=1.8, dash="dash"))
    mean = Look(f"mean of {len(read.weights)} heads", dict(color=MEAN, width=STRONG if head is None else 1.8))
    # Lines break where a weight is too small for the axis.
    weights, average = (np.where(part < low, np.nan, part) for part in (read.weights, read.weights.mean(0)))
    top = float(np.log10(max(float(read.weights.max(initial=low)), low * 10)))
    powers, texts = decade_ticks(np.log10(low), top)
    span = (np.log10(low) - 0.06, top + 0.12)
    ticks: dict[str, Any] = dict(type="log", tickvals=[10.0**power for power in powers], ticktext=texts)
    panels = [(span, ticks)]
    # Where attention is spread evenly the dashes lie on the mean, which they must not hide under.
    lines = [
        *_heads(read, weights, style, "", head),
        _line(read, average, mean, ""),
        _line(read, read.uniform, uniform, ""),
    ]
    if read.scores is not None:
        lines += [*_heads(read, read.scores, style, "2", head), _line(read, _means(read.scores), mean, "2")]
        panels.append((_ends(read.scores), {}))
    if own:
        number = str(len(names))
        lines += _own_lines(own, style, number)
        panels.append((_ends(own.values), {}))
    axes, words = _axes(read, panels, heights, pixels, names)
    keys = [mean, uniform, Look("each head", dict(color=PALE, width=THIN))]
    drawn = [_key(each, place, 1) for place, each in enumerate(keys)]
    named = tuple(dict.fromkeys((*local, *(() if head is None else (head,)))))
    drawn += [_key(style(each), place, 0) for place, each in enumerate(named)]
    words += [name for _, name in drawn]
    height = TOP + LINE_HEIGHT + pixels + BOTTOM
    return plotted(lines, axes, words, [shape for shape, _ in drawn], height=height, more_top=LINE_HEIGHT)


@dataclass(frozen=True)
class Look:
    """A line's name, and its colour, width and dash as Plotly takes them."""

    name: str
    line: dict[str, Any]


def _key(look: Look, place: int, row: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line's key over the plot, in the row of the axis's title or in the one over it: no curve is there."""
    key = Key(look.name, look.line["color"], look.line["width"], look.line.get("dash", "solid"))
    return drawn_key(key, 0.15 + 0.21 * place, OVER + row * LINE_HEIGHT)


def _style(head: int, chosen: int | None, local: tuple[int, ...]) -> Look:
    """The chosen head strong, the nearest ones in colours of their own, all others thin and pale."""
    if head == chosen:
        return Look(f"head {head}", dict(color=CHOSEN, width=STRONG))
    if head in local:
        return Look(f"head {head}", dict(color=colour_of_head(local.index(head), len(local)), width=1.5))
    return Look(f"head {head}", dict(color=PALE, width=THIN))


def _means(scores: np.ndarray) -> np.ndarray:
    """Mean over the heads that have a score there: (H, N) -> (N,), NaN where none has."""
    known = np.isfinite(scores)
    counts = known.sum(0)
    sums = np.where(known, scores, 0).sum(0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _ends(values: np.ndarray) -> tuple[float, float]:
    found = values[np.isfinite(values)]
    low, high = float(found.min(initial=0.0)), float(found.max(initial=0.0))
    room = 0.06 * ((high - low) or 1.0)
    return low - room, high + room


def _heads(
    read: Found, values: np.ndarray, style: Callable[[int], Look], number: str, chosen: int | None
) -> list[dict[str, Any]]:
    """A line a head, pale ones first."""
    drawn = drawn_heads(tuple(range(len(values))), chosen)
    order = sorted(drawn, key=lambda head: style(head).line["width"])
    return [_line(read, values[head], style(head), number) for head in order]


def _line(read: Found, values: np.ndarray, look: Look, number: str) -> dict[str, Any]:
    """One curve. A value between two that are missing has no line: it is a point."""
    known = np.isfinite(values)
    lone = known & ~np.append(known[1:], False) & ~np.insert(known[:-1], 0, False)
    points: dict[str, Any] = {}
    if lone.any():
        points = dict(marker=dict(size=np.where(lone, 4, 0).astype(np.uint8), color=look.line["color"], opacity=1))
    return dict(
        type="scatter", x=read.offsets, y=finite(values), yaxis=f"y{number}", customdata=read.counts, name=look.name,
        mode="lines+markers" if lone.any() else "lines", line=look.line, **points,
        hovertemplate=f"{look.name}<br>offset %{{x}}: %{{y:.3~g}}<br>%{{customdata:,}} pairs<extra></extra>",
    )  # fmt: skip


def _own_lines(own: Own, style: Callable[[int], Look], number: str) -> list[dict[str, Any]]:
    """The scheme's lines: one, or one a head where heads differ."""
    count = len(own.values)
    word = SCHEME_WORDS.get(own.what, own.what)
    lone = Look(own.name, dict(color=own.colour, width=2.4))
    looks = [(head, style(head) if count > 1 else lone) for head in drawn_heads(tuple(range(count)), None)]
    return [
        dict(
            type="scatter", x=own.offsets, y=finite(own.values[head]), yaxis=f"y{number}", mode="lines",
            name=escaped(look.name), line=look.line | dict(shape="hvh" if own.what == "bucket" else "linear"),
            hovertemplate=f"{escaped(look.name)}<br>offset %{{x}}: {word} %{{y:.3~g}}<extra></extra>",
        )
        for head, look in sorted(looks, key=lambda each: each[1].line["width"])
    ]  # fmt: skip


def _axes(
    read: Found, panels: list[tuple[tuple[float, float], dict[str, Any]]], heights: list[int], pixels: int,
    names: list[str],
) -> tuple[dict[str, Any], list[dict[str, Any]]]:  # fmt: skip
    """The panels one above the other over one axis of offsets, and their titles."""
    low, high = float(read.offsets.min()), float(read.offsets.max())
    edge = 0.02 * max(high - low, 1.0)
    last = str(len(panels)) if len(panels) > 1 else ""
    zero: dict[str, Any] = dict(zeroline=True, zerolinecolor=NEUTRAL, zerolinewidth=0.8)
    steps = dict(tick0=0, dtick=tick_step(int(high - low) + 1, 12), tickformat=",~d")
    axes: dict[str, Any] = {"xaxis": scale([low - edge, high + edge], anchor=f"y{last}", **zero, **steps)}
    words = titles("offset (key − query, tokens): earlier keys left of 0, later ones right", "")
    top = 1.0
    for place, ((ends, ticks), height, name) in enumerate(zip(panels, heights, names, strict=True)):
        number = str(place + 1) if place else ""
        axes[f"yaxis{number}"] = scale(ends, domain=[max(0.0, top - height / pixels), top], nticks=5, **ticks)
        words += [each | dict(y=top) for each in titles("", name)]
        top -= (height + BETWEEN) / pixels
    return axes, words
