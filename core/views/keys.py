"""Keys of a Plotly figure, drawn by us: a piece of line with its marker, and a name beside it.

Plotly's own legend measures names before their font is there and then cuts them off; it also takes room of the plot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.views.plotly import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# In pixels: from one key to the one below it, length of the line, and from its start to the name.
LINE_HEIGHT = 18
LENGTH = 24
TO_NAME = 31
FONT = 13
CLEAR = "rgba(0, 0, 0, 0)"


@dataclass(frozen=True)
class Key:
    """How a curve is drawn, and its name. symbol: a circle, an open diamond, or "" for no marker."""

    name: str
    colour: str
    width: float
    dash: str = "solid"
    symbol: str = ""
    opacity: float = 1.0


def add_key(figure: PlotlyFigure, key: Key, x: float, y: float, up: float) -> None:
    """Draw a key whose left end is at a place of the paper, its middle so many pixels above it."""
    place: dict[str, Any] = dict(
        xref="paper", yref="paper", xsizemode="pixel", ysizemode="pixel", xanchor=x, yanchor=y, opacity=key.opacity
    )
    line = dict(color=key.colour, width=key.width, dash=key.dash)
    figure.add_shape(type="line", x0=0, x1=LENGTH, y0=up, y1=up, line=line, **place)
    if key.symbol:
        middle, edge = LENGTH / 2, dict(color=key.colour, width=1.6)
        if key.symbol == "circle":
            box = dict(x0=middle - 4, x1=middle + 4, y0=up - 4, y1=up + 4)
            figure.add_shape(type="circle", fillcolor=key.colour, line=edge, **box, **place)
        else:
            path = f"M{middle - 5},{up} L{middle},{up + 5} L{middle + 5},{up} L{middle},{up - 5} Z"
            figure.add_shape(type="path", path=path, fillcolor=CLEAR, line=edge, **place)
    add_title(figure, key.name, x, y, up, TO_NAME)


def add_title(figure: PlotlyFigure, text: str, x: float, y: float, up: float, right: float = 0) -> None:
    """Write a line of text that starts at a place of the paper, moved by so many pixels."""
    figure.add_annotation(
        text=escaped(text),
        x=x,
        y=y,
        xref="paper",
        yref="paper",
        xshift=right,
        yshift=up,
        xanchor="left",
        yanchor="middle",
        align="left",
        showarrow=False,
        font=dict(size=FONT),
    )
