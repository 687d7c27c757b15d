"""How many positions each pair of coordinates takes for a turn, beside the length of the texts in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.agreement_view_scale import BAND, NEUTRAL, finite
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.head_family import CHOSEN
from core.views.keys import Key
from core.views.model_lines import look_of
from core.views.plotly import from_plotly
from core.views.position_axes import drawn_key, note, plotted, scale, titles
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from torch import Tensor

    from core.views.position_words import About

# Heights of the training length, as shares of the axis: above the one its name stands left, below the other over it.
HALF, LOW = 0.5, 0.16
# Markers are drawn up to so many pairs; beyond, the line alone is clearer.
MOST_MARKERS = 96
# Ticks of a decade, at most, and the powers of ten from which on they are written as such.
MOST_DECADES, SMALL_POWER, LARGE_POWER = 7, -4, 6
HOW_TO = (
    "Each point is a pair of coordinates and the number of positions in which it turns once. Pairs above the training "
    "length never completed a turn: at longer distances they reach angles that training never showed."
)
HOW_TO_SCALED = (
    "Each point is a pair of coordinates and the number of positions in which it turns once. A pair that completed a "
    "turn in training has shown every angle; a slower one meets new angles in longer texts, orange, unless the scaling "
    "slows it down as much as the texts grow."
)
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Positions a turn of each pair, float64 (P,): now, and before a scaling; inf for a pair that is not turned.

    trained: the longest text of the training, in positions; factor: how many times as long the scaled texts are.
    """

    now: np.ndarray
    before: np.ndarray | None
    trained: int | None
    factor: float

    @property
    def new(self) -> np.ndarray:
        """Pairs that never completed a turn in training; after a scaling, those that reach angles it never showed."""
        if self.trained is None:
            return np.zeros(len(self.now), bool)
        return self.now > self.trained if self.before is None else self._unseen(self.now)

    @property
    def new_before(self) -> int:
        """How many pairs would reach such angles without the scaling."""
        return 0 if self.before is None else int(self._unseen(self.before).sum())

    @property
    def scaled_length(self) -> str:
        """The length that the scaling is for, in words."""
        return f"{self.factor:.4g} × {self.trained:,} positions"

    def _unseen(self, waves: np.ndarray) -> np.ndarray:
        import torch

        from core.positions.measures import unseen

        plain = self.now if self.before is None else self.before
        before, after = (torch.from_numpy(2 * np.pi / each) for each in (plain, waves))
        return np.asarray(unseen(before, after, self.trained or 1, self.factor).numpy())


def wavelengths_figure(
    about: About, frequencies: Tensor, trained: int | None = None, plain: Tensor | None = None, scaling: str = "",
    factor: float = 1.0,
) -> Figure:  # fmt: skip
    """Positions a turn of each pair of coordinates on a log axis, and which pairs never completed one in training.

    After a scaling: which pairs reach angles in the longer texts, that it is for, that training never showed.

    frequencies: radians a position (P,), the fastest pair first; trained: positions of the longest text in training,
    None where nothing tells; plain: the frequencies before a scaling, None where there is none; scaling: its title;
    factor: how many times as long as those of the training the scaled texts are.
    """
    pairs = _Pairs(_turns(frequencies), None if plain is None else _turns(plain), trained, factor)
    words = _caption(about, pairs, scaling)
    return from_plotly(
        name=figure_name(about, "wavelengths"),
        title="Wavelengths",
        how_to=HOW_TO if plain is None else HOW_TO_SCALED,
        figure=_plot(pairs, scaling),
        caption=words,
        contents="Both hold frequency and wavelength of each pair, before and after scaling where there is one.",
        stem=file_stem("wavelengths", about),
        csv=lambda: csv_bytes(_columns(about, pairs)),
        npz=lambda: npz_bytes(_arrays(pairs), words),
    )


def _turns(frequencies: Tensor) -> np.ndarray:
    from core.positions.measures import wavelengths

    return np.asarray(wavelengths(frequencies).detach().cpu().double().numpy())


def _caption(about: About, pairs: _Pairs, scaling: str) -> str:
    told = _range_words(pairs.now)
    still = int(np.isinf(pairs.now).sum())
    share = ""
    if pairs.trained is not None:
        share = f"{_share_words(pairs)} in {pairs.trained:,} positions of training"
    if pairs.trained is not None and pairs.before is not None:
        share = (
            f"at {pairs.scaled_length} {int(pairs.new.sum())} of {len(pairs.now)} pairs reach angles that training "
            f"never showed; without scaling {pairs.new_before}"
        )
    return joined(
        [
            about.words,
            f"scaling: {scaling}" if scaling and pairs.before is not None else "",
            told,
            share,
            f"{still} of {len(pairs.now)} pairs are not turned at all" if still else "",
            "logarithmic axis; wavelength: 2π divided by the frequency",
        ]
    )


def _range_words(waves: np.ndarray) -> str:
    turning = waves[np.isfinite(waves)]
    return f"wavelengths from {_count(turning.min())} to {_count(turning.max())} positions" if len(turning) else ""


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _share_words(pairs: _Pairs) -> str:
    count, of = int(pairs.new.sum()), len(pairs.now)
    if not count:
        return "every pair completed a turn"
    return f"{count} of {of} pairs ({100 * count / of:.0f} %) never completed a turn"


def _plot(pairs: _Pairs, scaling: str) -> PlotlyFigure:
    low, high = _span(pairs)
    lines = [_line(pairs.now, pairs.new, "after scaling" if pairs.before is not None else "wavelength")]
    shapes: list[dict[str, Any]] = []
    words = titles("pair of coordinates", "positions a turn")
    if pairs.trained is not None:
        shapes, told = _training(pairs, low, high)
        words += told
    if pairs.before is not None:
        lines.insert(0, _line(pairs.before, pairs.new, "before scaling", dash="dash", color=NEUTRAL, width=2.0))
        keys = [Key(scaling or "after scaling", look_of(0).colour, 2.4), Key("before", NEUTRAL, 2.0, "dash")]
        # In the title's line, where no curve and no other name can be.
        drawn = [drawn_key(key, x) for key, x in zip(keys, (0.3, 0.78), strict=True)]
        shapes += [shape for shape, _ in drawn]
        words += [name for _, name in drawn]
    powers, texts = decade_ticks(low, high)
    up = scale([low, high], type="log", tickvals=[10.0**power for power in powers], ticktext=texts)
    return plotted(lines, dict(xaxis=scale(_sides(len(pairs.now))), yaxis=up), words, shapes)


def _sides(count: int) -> list[float]:
    return [-0.03 * max(count, 8), count - 1 + 0.03 * max(count, 8)]


def _span(pairs: _Pairs) -> tuple[float, float]:
    """The ends of the log axis in powers of ten, with the training length and some room in it."""
    told = [pairs.now, *([] if pairs.before is None else [pairs.before])]
    numbers = np.concatenate([*told, np.array([] if pairs.trained is None else [float(pairs.trained)])])
    numbers = np.log10(numbers[np.isfinite(numbers) & (numbers > 0)])
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    room = 0.07 * max(high - low, 1.0)
    return low - room, high + 1.6 * room


def decade_ticks(low: float, high: float) -> tuple[list[int], list[str]]:
    """Powers of ten between two of them, few enough to be read, and how each is written."""
    first, last = int(np.ceil(low)), int(np.floor(high))
    step = max(1, -(-(last - first + 1) // MOST_DECADES))
    powers = list(range(first, last + 1, step))
    return powers, [_power_words(power) for power in powers]


def _power_words(power: int) -> str:
    if power >= LARGE_POWER or power <= SMALL_POWER:
        return f"10{str(power).translate(SUPERSCRIPT)}"
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def _line(
    waves: np.ndarray, new: np.ndarray, name: str, dash: str = "solid", color: str = "", width: float = 2.4
) -> dict[str, Any]:
    """One curve; points of pairs that are `new` are orange and open."""
    colour = color or look_of(0).colour
    marked = len(waves) <= MOST_MARKERS and not color
    marker = dict(
        size=7, color=[CHOSEN if far else colour for far in new],
        symbol=["circle-open" if far else "circle" for far in new], line=dict(width=1.8),
    )  # fmt: skip
    return dict(
        type="scatter", x=np.arange(len(waves)), y=finite(waves), name=name,
        mode="lines+markers" if marked else "lines", line=dict(color=colour, dash=dash, width=width),
        cliponaxis=False, hovertemplate=f"{name}<br>pair %{{x}}: a turn in %{{y:,.4~g}} positions<extra></extra>",
        **(dict(marker=marker) if marked else {}),
    )  # fmt: skip


def _training(pairs: _Pairs, low: float, high: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and words: the training length as a line, the count of pairs, and what of it a scaling does not have.

    Without a scaling what lies beyond the length is shaded: that are the pairs which are counted.
    """
    trained = float(pairs.trained or 1)
    across: dict[str, Any] = dict(x0=0, x1=1, xref="x domain", yref="y", layer="below")
    band = dict(type="rect", y0=trained, y1=10.0**high, fillcolor=BAND, line=dict(width=0), **across)
    edge = dict(color=NEUTRAL, width=1.4, dash="dot")
    line = dict(type="line", y0=trained, y1=trained, line=edge, **across)
    share = (np.log10(trained) - low) / (high - low)
    # Curves rise to the right, so that the upper left and the lower right are free.
    left = share > HALF
    return [*([band] if pairs.before is None else []), line], [
        note(_told(pairs), 0.015, 1, xanchor="left", yanchor="top", align="left"),
        note(
            f"training length {pairs.trained:,}", 0.015 if left else 0.985, np.log10(trained), yref="y",
            xanchor="left" if left else "right", yanchor="bottom" if share < LOW else "top",
        ),
    ]  # fmt: skip


def _told(pairs: _Pairs) -> str:
    """The count of pairs, in the plot."""
    count, of = int(pairs.new.sum()), len(pairs.now)
    if pairs.before is not None:
        return (
            f"at {pairs.scaled_length}<br><b>{count} of {of}</b> pairs reach angles that<br>training never showed; "
            f"without scaling {pairs.new_before}"
        )
    told = f"<b>{count} of {of}</b> pairs ({100 * count / of:.0f} %)<br>never turned once"
    return told if count else "every pair turned at least once"


def _columns(about: About, pairs: _Pairs) -> dict[str, object]:
    count = len(pairs.now)
    scaled = {} if pairs.before is None else {"wavelength_before_scaling": pairs.before}
    trained = {} if pairs.trained is None else {"completed_a_turn": _before(pairs) <= pairs.trained}
    if pairs.trained is not None and pairs.before is not None:
        trained["reaches_new_angles"] = pairs.new
    return {
        "scheme": [guarded(about.title)] * count,
        "source": [guarded(about.source)] * count,
        "pair": np.arange(count),
        "frequency": 2 * np.pi / pairs.now,
        "wavelength": pairs.now,
        **scaled,
        **trained,
    }


def _before(pairs: _Pairs) -> np.ndarray:
    """The waves of training."""
    return pairs.now if pairs.before is None else pairs.before


def _arrays(pairs: _Pairs) -> dict[str, np.ndarray]:
    return {
        "frequencies": 2 * np.pi / pairs.now,
        "wavelengths": pairs.now,
        **({} if pairs.before is None else {"wavelengths_before_scaling": pairs.before}),
        "trained": np.array(np.nan if pairs.trained is None else pairs.trained),
    }
