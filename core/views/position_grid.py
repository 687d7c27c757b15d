"""Positions as cells: which of them are drawn, in which colours, and the heatmap that does it.

Colours stand between the page's own ground and a hue that is read on white and on black, so one figure does in both
themes. Blue and orange are told apart in every kind of colour vision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import numpy as np

from core.views.agreement_view_scale import BAND, NEUTRAL
from core.views.position_axes import beside, note, scale
from core.views.scales import short_number

# Pixels from the plot to a colour bar, and of its width.
AWAY, THICK = 12, 12
# Tokens across and down, at most.
MOST_CELLS = 256
# Positions or dimensions across and down that are drawn, at most: more would be two pixels wide and take long.
MOST_DRAWN = 128
SIGNED = (
    (0.0, "rgba(217, 115, 13, 1)"),
    (0.5, "rgba(217, 115, 13, 0)"),
    (0.5, "rgba(47, 123, 220, 0)"),
    (1.0, "rgba(47, 123, 220, 1)"),
)
# A half turn is the same from both sides, grey; no turn is clear.
CYCLIC = (
    (0.0, "rgba(107, 111, 128, 1)"),
    (0.25, "rgba(217, 115, 13, 1)"),
    (0.5, "rgba(217, 115, 13, 0)"),
    (0.5, "rgba(47, 123, 220, 0)"),
    (0.75, "rgba(47, 123, 220, 1)"),
    (1.0, "rgba(107, 111, 128, 1)"),
)
# From the first position to the last: gets lighter all the way.
ORDERED = ("#4a45c4", "#9a4fc4", "#d4538f", "#ea7f4d", "#e8b53a")


@dataclass(frozen=True, eq=False)
class Colours:
    """A colour scale with its ends, and the words and the ticks of its bar.

    words: the scale in a caption
    """

    scale: tuple[Any, ...]
    low: float
    high: float
    title: str
    words: str
    ticks: tuple[tuple[float, str], ...] = ()

    @property
    def stops(self) -> list[Any]:
        """The scale as Plotly takes it: its stops, spread over all of it where it is one side of a larger one."""
        if isinstance(self.scale[0], str):
            return list(self.scale)
        first, last = self.scale[0][0], self.scale[-1][0]
        return [[(at - first) / (last - first), colour] for at, colour in self.scale]

    @property
    def room(self) -> int:
        """Pixels that the bar takes right of a plot."""
        return beside([text for _, text in self.ticks])


def signed_colours(values: np.ndarray, title: str, most: float = np.inf) -> Colours:
    """Blue above 0 and orange below, as strong as the largest magnitude, or as `most` where that is less.

    Where there is one sign only, its side of the scale is all there is.
    """
    found = values[np.isfinite(values)]
    top = min(float(np.abs(found).max(initial=0.0)), most) or 1.0
    low, high = float(found.min(initial=0.0)), float(found.max(initial=0.0))
    sides = [(-1, low < 0), (0, True), (1, high > 0 or low == 0)]
    ticks = [(sign * share * top, sign) for sign, there in sides if there for share in ((1, 0.5) if sign else (0,))]
    ends = {-top: low < -top, top: high > top}
    words = [hue for hue, there in (("blue above 0", high > 0 or low == 0), ("orange below", low < 0)) if there]
    cut = ", stronger ones alike" if any(ends.values()) else ""
    return Colours(
        SIGNED if low < 0 < high else SIGNED[:2] if low < 0 else SIGNED[2:],
        -top if low < 0 else 0.0,
        top if high > 0 or low == 0 else 0.0,
        title,
        f"{', '.join(words)}, linear up to {'±' if len(words) > 1 else '−' if low < 0 else ''}{short_number(top)}{cut}",
        tuple(sorted((at, _tick(at, ends.get(at, False))) for at, _ in ticks)),
    )


def _tick(value: float, beyond: bool) -> str:
    """A number at the colour bar. beyond: whether some values lie farther from 0."""
    more = ("≤ " if value < 0 else "≥ ") if beyond else ""
    return f"{more}{'−' if value < 0 else ''}{short_number(abs(value))}"


def angle_colours() -> Colours:
    """Blue to the one side and orange to the other, grey where both meet at half a turn."""
    ticks = ((-np.pi, "−π"), (-np.pi / 2, "−π/2"), (0.0, "0"), (np.pi / 2, "π/2"), (np.pi, "π"))
    words = "blue above 0, orange below, grey at half a turn, where both meet"
    return Colours(CYCLIC, -np.pi, np.pi, "angle (radians)", words, ticks)


def ordered_colours(values: np.ndarray, title: str) -> Colours:
    """For numbers of which only the order means something."""
    found = values[np.isfinite(values)]
    low, high = float(found.min(initial=0.0)), float(found.max(initial=0.0))
    ticks = tuple((float(at), f"{at:,}") for at in range(int(low), int(high) + 1, tick_step(int(high - low), 8)))
    return Colours(ORDERED, low, max(high, low + 1), title, f"violet {low:g} to yellow {high:g}", ticks)


def wrapped(angles: np.ndarray) -> np.ndarray:
    """The same angles in (-π, π]."""
    return np.pi - np.mod(np.pi - angles, 2 * np.pi)


def every(count: int, most: int = MOST_DRAWN) -> np.ndarray:
    """The positions that are drawn of so many: all, or one in so many."""
    return np.arange(0, count, max(1, -(-count // most)))


def every_pair(width: int, most: int = MOST_DRAWN) -> np.ndarray:
    """The dimensions that are drawn of so many, two neighbours at a time: a sine and its cosine."""
    step = max(1, -(-width // most))
    return np.array([at for at in range(width) if at // 2 % step == 0], int)


def left_out_words(*axes: tuple[int, np.ndarray, str], square: bool = False) -> str:
    """What a caption says where not all are drawn; "" where they are.

    axes: of each how many there are, which are drawn, and what one is called. square: whether the only axis given
    stands for both.
    """
    told, cells = [], 1
    for count, drawn, unit in axes:
        if len(drawn) < count:
            two = len(drawn) > 2 and drawn[1] == 1
            step = int(drawn[2 if two else 1]) // (2 if two else 1)
            told.append(f"one in {step} {'pairs of ' if two else ''}{unit}s")
            cells *= step**2 if square else step
    return f"drawn: {' and '.join(told)}, one cell for {cells}, none averaged; exports hold all" if told else ""


def bar(colours: Colours, number: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The colour bar right of a panel: a picture, and the words at it. number: of the panel's axes.

    Plotly's own takes as long as a plot to draw, and stands at the edge of the paper and not at that of a square.
    """
    refs = dict(xref=f"x{number} domain", yref=f"y{number} domain")
    picture = dict(
        source=_gradient(tuple((at, colour) for at, colour in _places(colours.stops))), x=1, y=1, sizex=0.5, sizey=1,
        sizing="stretch", xanchor="left", yanchor="top", layer="above", **refs,
    )  # fmt: skip
    room, far = colours.high - colours.low, AWAY + THICK + 5
    right = dict(xanchor="left", yanchor="middle", font=dict(size=11), **refs)
    words = [note(text, 1, (at - colours.low) / room, xshift=far, **right) for at, text in colours.ticks]
    title = note(colours.title, 1, 0.5, xshift=colours.room - 10, textangle=90, font=dict(size=13), **refs)
    return picture, [*words, *([title] if colours.title else [])]


def _places(stops: list[Any]) -> list[tuple[float, str]]:
    """Stops with their places, evenly apart where they have none."""
    if isinstance(stops[0], str):
        return [(place / (len(stops) - 1), colour) for place, colour in enumerate(stops)]
    return [(float(at), colour) for at, colour in stops]


@lru_cache(maxsize=16)
def _gradient(stops: tuple[tuple[float, str], ...]) -> str:
    """The bar as an address that holds its picture: AWAY clear pixels, then THICK ones, however large it is drawn."""
    told = "".join(f"<stop offset='{at:g}' {_svg_colour(colour)}/>" for at, colour in stops)
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='100%' height='100%'>"
        f"<linearGradient id='g' x1='0' y1='1' x2='0' y2='0'>{told}</linearGradient>"
        f"<rect x='{AWAY}' width='{THICK}' height='100%' fill='url(#g)'/></svg>"
    )
    return f"data:image/svg+xml,{quote(svg)}"


def _svg_colour(colour: str) -> str:
    """A colour and how clear it is, which SVG tells apart."""
    if not colour.startswith("rgba"):
        return f"stop-color='{colour}'"
    red, green, blue, clear = colour[5:-1].split(",")
    return f"stop-color='rgb({red},{green},{blue})' stop-opacity='{clear.strip()}'"


def cells(values: np.ndarray, rows: np.ndarray, cols: np.ndarray, hover: str, **options: Any) -> dict[str, Any]:
    """A heatmap of these values. hover: what a cell says, of %{y}, %{x} and %{z}."""
    shown = np.ascontiguousarray(values, np.float32)
    return dict(
        type="heatmap", x=cols, y=rows, z=shown, zsmooth=False, hoverongaps=False,
        hovertemplate=f"{hover}<extra></extra>",
    ) | options  # fmt: skip


def coloured(colours: Colours) -> dict[str, Any]:
    """The options of `cells` that paint them so; `bar` draws their bar."""
    return dict(zmin=colours.low, zmax=colours.high, colorscale=colours.stops, showscale=False)


def squared(number: str = "", toward: str = "center") -> dict[str, dict[str, Any]]:
    """What makes the cells of two axes squares: options of both, by the axis's name.

    number: of the axes; toward: the side of its panel to which a map narrower than it moves.
    """
    return {
        f"xaxis{number}": dict(constrain="domain", constraintoward=toward),
        f"yaxis{number}": dict(constrain="domain", scaleanchor=f"x{number}", scaleratio=1),
    }


def axis(count: int, downward: bool = False) -> dict[str, Any]:
    """An axis of so many whole numbers from 0. downward: 0 at its upper end."""
    ends = [-0.5, max(count, 1) - 0.5]
    return scale(ends[::-1] if downward else ends, dtick=tick_step(count), tick0=0, showgrid=False, ticks="")


def tick_step(count: int, most: int = 6) -> int:
    """The power of two by which ticks go, so that there are no more than so many."""
    return int(1 << max(0, int(np.ceil(np.log2(max(count, 1) / most)))))


def mask(drawn: np.ndarray, number: str = "") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and words that grey the cells whose keys come after their query. number: of the axes, "" for the first."""
    if len(drawn) < 2:
        return [], []
    edges = [-0.5, *((drawn[1:] + drawn[:-1]) / 2).tolist(), float(drawn[-1]) + 0.5]
    steps = " ".join(f"L{edges[at]:g},{edges[at - 1]:g} L{edges[at]:g},{edges[at]:g}" for at in range(1, len(edges)))
    where = dict(xref=f"x{number}", yref=f"y{number}")
    shape = dict(
        type="path", path=f"M{edges[0]:g},{edges[0]:g} {steps} L{edges[-1]:g},{edges[0]:g} Z", fillcolor=BAND,
        line=dict(width=0), layer="below", **where,
    )  # fmt: skip
    words = note("masked", 0.7 * edges[-1], 0.24 * edges[-1], font=dict(size=13, color=NEUTRAL), **where)
    return [shape], [words]
