"""How several models are told apart in one plot: by colour, by kind of line and by marker, each enough by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.views.keys import LENGTH, LINE_HEIGHT, Key, add_key
from core.views.plotly import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

WIDTH = 2.2


@dataclass(frozen=True)
class Look:
    """A model's colour and kind of line, as Plotly calls it; its marker, and the sign that stands for it in a key."""

    colour: str
    dash: str
    symbol: str
    sign: str


# Read on white and on black; neighbours differ in lightness too, for eyes that do not see all hues.
LOOKS = (
    Look("#2f7bdc", "solid", "circle", "●"),
    Look("#d9730d", "dash", "square", "■"),
    Look("#0f9b76", "dot", "triangle-up", "▲"),
    Look("#c65a9e", "dashdot", "diamond", "◆"),
    Look("#8d8113", "longdash", "triangle-down", "▼"),
    Look("#7f7f8c", "longdashdot", "star", "★"),
)


def look_of(index: int) -> Look:
    """The look of the model of that number, from 0. After six, colours and markers meet in new pairs."""
    look, other = LOOKS[index % len(LOOKS)], LOOKS[(index + index // len(LOOKS)) % len(LOOKS)]
    return Look(look.colour, other.dash, other.symbol, other.sign)


def line_style(index: int, hollow: list[bool] | None = None) -> dict[str, Any]:
    """Line and markers of a model's curve. hollow: the points that count less."""
    look = look_of(index)
    symbols = [f"{look.symbol}-open" if each else look.symbol for each in hollow] if hollow else look.symbol
    return dict(
        mode="lines+markers",
        line=dict(color=look.colour, dash=look.dash, width=WIDTH),
        marker=dict(color=look.colour, symbol=symbols, size=9, line=dict(width=1.6, color=look.colour)),
        legendgroup=str(index),
        cliponaxis=False,
    )


def keys_height(count: int) -> int:
    """The pixels that the keys of so many models take."""
    return LINE_HEIGHT * count


def add_keys(figure: PlotlyFigure, labels: list[str], up: float) -> None:
    """Draw a key for each model, the lowest of them so many pixels over the plots.

    They stand one below the other: side by side, they would lie over each other in a narrow figure.
    """
    for index, label in enumerate(labels):
        look, height = look_of(index), up + (len(labels) - 1 - index) * LINE_HEIGHT
        add_key(figure, Key(label, look.colour, WIDTH, look.dash), 0, 1, height)
        figure.add_annotation(
            text=escaped(look.sign),
            x=0,
            y=1,
            xref="paper",
            yref="paper",
            xshift=LENGTH / 2,
            yshift=height,
            xanchor="center",
            yanchor="middle",
            showarrow=False,
            font=dict(size=13, color=look.colour),
        )
