"""Which waves a table is made of: the power of each frequency along the positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.positions.measures import spectrum
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_axes import plotted, scale, titles
from core.views.position_words import About, figure_name, file_stem
from core.views.runs import joined
from core.views.wavelengths_view import decade_ticks

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Table

# Shares below this are noise of rounding: the axis ends there.
LEAST_SHARE = 1e-7
FILL = "rgba(47, 123, 220, 0.16)"


def position_spectrum_figure(table: Table, about: About) -> Figure:
    """Share of the power at each frequency, mean over the dimensions, both axes logarithmic."""
    found = spectrum(table)
    cycles, power = found.cycles.detach().numpy(), found.power.detach().numpy()  # (N,) each
    words = joined(
        [
            about.words,
            f"{len(table.values):,} positions, mean over {table.values.shape[1]:,} dimensions",
            "the mean of each dimension taken off, shares of the power that is left",
            "both axes logarithmic",
        ]
    )
    return from_plotly(
        name=figure_name(about, "spectrum"),
        title="Power spectrum along positions",
        how_to=_how_to(table),
        figure=_plot(cycles, power),
        caption=words,
        contents="Both hold the share of every frequency.",
        stem=file_stem("spectrum", about),
        csv=lambda: csv_bytes(
            {
                "scheme": np.full(len(cycles), guarded(about.title), object),
                "source": np.full(len(cycles), guarded(about.source), object),
                "cycles_per_position": cycles,
                "share_of_power": power,
            }
        ),
        npz=lambda: npz_bytes({"cycles": cycles, "power": power}, words),
    )


def _how_to(table: Table) -> str:
    if table.learned:
        return (
            "A peak is a wave that many dimensions share; a line that falls from left to right says that slow change "
            "holds most of the table. Waves that training found need not be those of the sinusoidal formula."
        )
    return (
        "Each pair of dimensions is one wave, so peaks stand ever farther apart as frequencies rise. Waves longer than "
        "the shown length pile up on the left: over these positions they look alike."
    )


def _plot(cycles: np.ndarray, power: np.ndarray) -> PlotlyFigure:
    x, y = cycles, np.maximum(power, LEAST_SHARE / 10)
    line = dict(
        type="scatter", x=x, y=y, customdata=1 / x, mode="lines+markers" if len(x) <= 40 else "lines",
        line=dict(color=look_of(0).colour, width=1.8), marker=dict(size=5), fill="tozeroy", fillcolor=FILL,
        hovertemplate="%{x:.4~g} cycles a position<br>a wave of %{customdata:.4~g} positions<br>"
        "share of the power %{y:.3~g}<extra></extra>",
    )  # fmt: skip
    top = float(y.max(initial=LEAST_SHARE * 10))
    low = max(float(y.min(initial=top)), LEAST_SHARE)
    sides = np.log10([float(x.min(initial=0.5)), float(x.max(initial=0.5))])
    few = "D2" if len(x) and x.max() / x.min() < 30 else 1
    across = scale(sides + np.array([-0.03, 0.03]), type="log", tickformat="~g", dtick=few)
    ends = np.log10([low, top]) + np.array([-0.15, 0.15])
    powers, texts = decade_ticks(*ends)
    up = scale(ends, type="log", tickvals=[10.0**power for power in powers], ticktext=texts)
    words = titles("frequency (cycles per position)", "share of the power")
    return plotted([line], dict(xaxis=across, yaxis=up), words)
