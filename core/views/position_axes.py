"""The frame that figures of positions share: fixed margins, and titles of axes at fixed distances from them.

Plotly that makes room for labels itself lays out the whole page several times a figure, and a slider has no time for
that. Margins have room for the large type of talk mode. The upright axis has its title over its upper end, so that it
is read without turning one's head and takes no width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.views.keys import LENGTH, TO_NAME, Key
from core.views.plotly import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# Pixels of a figure, and around its plot.
HEIGHT = 320
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 25, 46
# Pixels from the plot to the middle of a title, from it to its numbers, and from the left edge to a title.
OVER, BELOW, PAD, EDGE = 13, 36, 5, 2
SIZE = 13
CLEAR = "rgba(0, 0, 0, 0)"


def scale(ends: Sequence[float], **more: Any) -> dict[str, Any]:
    """An axis between two ends whose labels stay as they are, wherever they come to lie."""
    return dict(
        range=[float(end) for end in ends], automargin=False, ticklabeloverflow="allow", tickangle=0, zeroline=False,
    ) | more  # fmt: skip


def note(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """Words in the plot, at a place of the paper unless `xref` and `yref` say otherwise.

    They are aligned as they are anchored: in talk mode letters are larger than Plotly takes them for.
    """
    plain = dict(text=text, x=x, y=y, xref="paper", yref="paper", showarrow=False, font=dict(size=12))
    return plain | dict(align=more.get("xanchor", "center")) | more


def titles(across: str, up: str, left: int = LEFT, middle: float = 0.5, corner: float = 0) -> list[dict[str, Any]]:
    """The titles of two axes. middle, corner: shares of the paper, of the plot's middle and of its left end."""
    below = note(across, middle, 0, yshift=-BELOW, yanchor="middle", font=dict(size=SIZE))
    over = note(up, corner, 1, xshift=EDGE - left, yshift=OVER, xanchor="left", yanchor="middle", font=dict(size=SIZE))
    return [each for each, text in ((below, across), (over, up)) if text]


def in_panel(words: Sequence[dict[str, Any]], number: str = "") -> list[dict[str, Any]]:
    """The words where their places are shares of a panel, however wide it is drawn. number: of its axes."""
    return [each | dict(xref=f"x{number} domain", yref=f"y{number} domain") for each in words]


def plotted(
    traces: Sequence[dict[str, Any]],
    axes: dict[str, Any],
    annotations: Sequence[dict[str, Any]],
    shapes: Sequence[dict[str, Any]] = (),
    height: int = HEIGHT,
    right: int = RIGHT,
    more_top: int = 0,
    **layout: Any,
) -> PlotlyFigure:
    """The figure, made in one go: updating one costs several times as much.

    right: pixels right of the plot; more_top: pixels over it besides those of a title.
    """
    import plotly.graph_objects as go

    margin = dict(l=LEFT, r=right, t=TOP + more_top, b=BOTTOM, pad=PAD, autoexpand=False)
    given = dict(height=height, margin=margin, showlegend=False, hovermode="closest") | layout
    ground = dict(paper_bgcolor=CLEAR, plot_bgcolor=CLEAR)
    return go.Figure(list(traces), dict(annotations=list(annotations), shapes=list(shapes), **axes, **given, **ground))


def beside(ticks: Sequence[str], title: bool = True) -> int:
    """Pixels that a colour bar takes, with the longest of its numbers in talk mode and its title."""
    return 36 + 9 * max(map(len, ticks), default=3) + (26 if title else 0)


def drawn_key(key: Key, x: float, up: float = OVER) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line and its name as `keys.add_key` draws them, for a figure that is not there yet: a shape, and words."""
    at = dict(xref="paper", yref="paper", xsizemode="pixel", ysizemode="pixel", xanchor=x, yanchor=1)
    line = dict(color=key.colour, width=key.width, dash=key.dash)
    shape = dict(type="line", x0=0, x1=LENGTH, y0=up, y1=up, line=line, **at)
    place: dict[str, Any] = dict(xshift=TO_NAME, yshift=up, xanchor="left", yanchor="middle", font=dict(size=SIZE))
    return shape, note(escaped(key.name), x, 1, **place)
