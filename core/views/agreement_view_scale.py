"""The diverging colours of agreement and the chance band, for Plotly figures on white and on black."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# 0 is clear, so that the page's own ground shows: the same colours then do on white and on black, under the page's ink.
# The hues are those of signed scores, told apart in every kind of colour vision.
DIVERGING = (
    (0.0, "rgba(217, 115, 13, 0.85)"),
    (0.5, "rgba(217, 115, 13, 0)"),
    (0.5, "rgba(84, 76, 214, 0)"),
    (1.0, "rgba(84, 76, 214, 0.75)"),
)
BAND = "rgba(128, 128, 140, 0.17)"
HATCH = "rgba(128, 128, 140, 0.55)"
NEUTRAL = "#8a8f9c"
# Lines of hatching across a cell.
STROKES = 4


def signed(value: float, digits: int = 2, leading: bool = True) -> str:
    """A number with a true minus sign; "–" where there is none. leading: with the 0 before the point."""
    if not math.isfinite(value):
        return "–"
    text = f"{abs(value):.{digits}f}"
    text = text if leading else text.removeprefix("0")
    return f"−{text}" if value < 0 and float(text) != 0 else text


def finite(values: Iterable[float]) -> list[float | None]:
    """The values, with a gap where there is no number."""
    return [float(value) if math.isfinite(value) else None for value in values]


def colour_bar(title: str) -> dict[str, Any]:
    """A colour bar from -1 to 1."""
    ticks = (-1, -0.5, 0, 0.5, 1)
    return dict(
        title=dict(text=title, side="top"),
        thickness=12,
        tickvals=ticks,
        ticktext=["−1", "−0.5", "0", "0.5", "1"],
        outlinewidth=0,
    )


def hatch(figure: PlotlyFigure, boxes: Sequence[tuple[float, float, float, float]]) -> None:
    """Grey and hatch boxes (x0, y0, x1, y1) in the axes' own units: what is not told from chance."""
    if not boxes:
        return
    outline = " ".join(f"M{x0:g},{y0:g} L{x1:g},{y0:g} L{x1:g},{y1:g} L{x0:g},{y1:g} Z" for x0, y0, x1, y1 in boxes)
    strokes = " ".join(_strokes(*box) for box in boxes)
    figure.add_shape(type="path", path=outline, fillcolor=BAND, line_width=0, layer="below")
    figure.add_shape(type="path", path=strokes, line=dict(color=HATCH, width=1), layer="below")


def _strokes(x0: float, y0: float, x1: float, y1: float) -> str:
    """Parallel lines from edge to edge of a box."""
    lines = []
    for step in range(1, 2 * STROKES):
        start, end = step / STROKES, 0.0
        if start > 1:
            start, end = 1.0, start - 1
        # From the upper edge or the right one down to the left edge or the lower one.
        (a, b), (c, d) = (start, end), (end, start)
        lines.append(
            f"M{x0 + a * (x1 - x0):.4g},{y0 + b * (y1 - y0):.4g} L{x0 + c * (x1 - x0):.4g},{y0 + d * (y1 - y0):.4g}"
        )
    return " ".join(lines)


def width_of(band: float) -> float:
    """How far the chance band reaches: of so few words that no tau is rare, over everything."""
    # The smallest rare |tau| itself lies outside, however it was rounded.
    return band - 1e-9 if math.isfinite(band) else 1.0 + 1e-9


def band_words(band: float, n: int, unit: str = "words") -> str:
    """The chance band in a caption. band: the smallest |tau| that is rare by chance; NaN where none is."""
    if not math.isfinite(band):
        return f"with {n} {unit} no tau is told from chance"
    return f"grey: |tau| below {band:.2f}, where 95 % of unrelated orders of {n} {unit} lie"
