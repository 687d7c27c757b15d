"""Names at the ends of lines: each as near to its line as it can be without lying over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.views.plotly import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# Pixels from one name to the next, with room for the letters of talk mode, and the size of its letters otherwise.
GAP, FONT = 20, 12


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart in the order of the heights, with the least squared distance to them in all.

    They stay between `low` and `high` where there is room for all, and start at `low` where there is not.
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    pools: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        pools.append((heights[i] - rank * gap, 1))
        # Places less their rank's gap must rise: neighbours that fall share their mean.
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (left, n), (right, m) = pools[-2:]
            pools[-2:] = [((left * n + right * m) / (n + m), n + m)]
    top = max(low, high - (len(order) - 1) * gap)
    starts = [min(max(mean, low), top) for mean, count in pools for _ in range(count)]
    places = [0.0] * len(order)
    for rank, (i, start) in enumerate(zip(order, starts, strict=True)):
        places[i] = start + rank * gap
    return places


def add_end_names(
    figure: PlotlyFigure,
    names: Sequence[tuple[str, str, str]],
    heights: Sequence[float],
    span: tuple[float, float],
    pixels: float,
    x: float,
    panel: str = "",
) -> None:
    """Write names at the right end of lines.

    names: text, colour and sign of each; heights: where the lines end, in the axis's units (of a log axis its powers);
    span: the ends of the axis; pixels: its height; x: where names begin, a share of the panel's width; panel: "" for
    the first, "2" for the next.
    """
    low, high = span
    of_pixel = (high - low) / pixels
    places = spread([(height - low) / of_pixel for height in heights], GAP, 0, pixels)
    for (text, colour, sign), place in zip(names, places, strict=True):
        figure.add_annotation(
            text=f'<span style="color:{colour}">{escaped(sign)}</span> {escaped(text)}',
            x=x,
            y=place / pixels,
            xref=f"x{panel} domain",
            yref=f"y{panel} domain",
            xanchor="left",
            yanchor="middle",
            align="left",
            showarrow=False,
            font_size=FONT,
        )
