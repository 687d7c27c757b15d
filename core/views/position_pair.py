"""Two schemes side by side: what each makes of two positions, on one colour scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.positions.measures import effect, pairs
from core.positions.objects import Bias, Table
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.plotly import escaped, from_plotly
from core.views.position_axes import EDGE, LEFT, OVER, in_panel, note, plotted, titles
from core.views.position_decay import MIXED
from core.views.position_grid import Colours, axis, bar, cells, every, left_out_words, mask, signed_colours, squared
from core.views.position_matrix import KEY, POSITION, QUERY
from core.views.position_words import About, figure_name, file_stem, names_beside
from core.views.runs import joined

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from core.positions.objects import Thing

# The scale ends here: a learned bias can be e to the large, beside which all else would be clear.
MOST_EFFECT = 2.0
# Of the width: a panel of the two, the rest lies between them.
PANEL = 0.45
HEIGHT, NAME = 440, 20
ENDS = ("", "2")
SIDES = ("left", "right")


def position_pair_figure(
    left: tuple[About, Thing], right: tuple[About, Thing], length: int, heads: tuple[int, int] = (0, 0)
) -> Figure:
    """What each scheme makes of any two positions, 1 where a token looks at itself: similarity, or e^bias.

    length: positions that are shown; of a table no more than it has. heads: of a bias on the left, and on the right.
    Raises HeadlightError for what has no effect by itself, as `core.positions.measures.effect` does.
    """
    abouts, things = [left[0], right[0]], [left[1], right[1]]
    rows = every(length)
    values = [_effects(thing, rows, head) for thing, head in zip(things, heads, strict=True)]
    together = np.concatenate([each.ravel() for each in values])
    colours = signed_colours(together, MIXED, MOST_EFFECT)
    words = joined(
        [
            *(about.words for about in abouts),
            *(f"{side}: {_effect_words(each, head)}" for side, each, head in zip(SIDES, things, heads, strict=True)),
            f"one colour scale: {colours.words}",
            left_out_words((length, rows, POSITION), square=True),
            *(_ends_words(about, thing, length) for about, thing in (left, right)),
            "keys after the query masked" if any(_causal(thing) for thing in things) else "",
        ]
    )
    names = names_beside(abouts)

    def whole() -> list[np.ndarray]:
        return [_effects(thing, np.arange(length), head) for thing, head in zip(things, heads, strict=True)]

    plot = _plot(values, rows, length, names, colours, [_causal(thing) for thing in things])
    return from_plotly(
        name=figure_name(abouts[0], "pair"),
        title=f"{abouts[0].title} and {abouts[1].title} side by side",
        how_to=_how_to(things),
        figure=plot,
        caption=words,
        contents="Both hold the effect between every two positions under both schemes, drawn or not.",
        stem=file_stem("pair", *abouts),
        csv=lambda: _table(abouts, whole()),
        npz=lambda: npz_bytes({"labels": label_array(names), "effects": np.stack(whole()), "drawn": rows}, words),
    )


def _effects(thing: Thing, rows: np.ndarray, head: int) -> np.ndarray:
    """(T, T) effects between the drawn positions; empty where a table has no such position or the key is masked."""
    if isinstance(thing, Table):
        kept = rows[rows < len(thing.values)]
        known = pairs(Table(thing.values[kept], thing.learned), len(kept), head).detach().numpy()
        values = np.full((len(rows), len(rows)), np.nan, np.float32)
        values[: len(kept), : len(kept)] = known
        return values
    curve = effect(thing, int(rows.max(initial=0)), head)
    offsets, known = curve.offsets.detach().numpy(), curve.values.detach().numpy()[0]
    wanted = rows[None, :] - rows[:, None]  # (1, T) - (T, 1) -> (T, T)
    at = np.clip(np.searchsorted(offsets, wanted), 0, len(offsets) - 1)
    values = np.where(offsets[at] == wanted, known[at], np.nan).astype(np.float32)
    return np.where((wanted > 0) & _causal(thing), np.float32(np.nan), values)


def _ends_words(about: About, thing: Thing, length: int) -> str:
    short = isinstance(thing, Table) and len(thing.values) < length
    return f"{about.title} ends after {len(thing.values):,} positions" if short and isinstance(thing, Table) else ""


def _causal(thing: Thing) -> bool:
    return isinstance(thing, Bias) and thing.causal


def _effect_words(thing: Thing, head: int) -> str:
    if isinstance(thing, Bias):
        return f"e to what head {head} adds, less what it adds at offset 0: a factor on the weight"
    return "cosine of two rows" if isinstance(thing, Table) else "mean cosine of the angles between two positions"


def _how_to(things: list[Thing]) -> str:
    """What each side is; they are compared by shape unless both are the same."""
    told = "; ".join(f"{side}, {_kind_words(thing)}" for side, thing in zip(SIDES, things, strict=True))
    alike = len({isinstance(thing, Bias) for thing in things}) == 1
    end = "" if alike else " These are no sizes of one thing: compare shapes, not numbers."
    return f"Each cell is a query (row) and a key (column). {told[0].upper()}{told[1:]}.{end}"


def _kind_words(thing: Thing) -> str:
    if isinstance(thing, Bias):
        return "the factor e^bias on the weight, against that at offset 0"
    if isinstance(thing, Table):
        return "how alike the vectors of both positions are (cosine), which tells no weight"
    return "how alike a query and a key of ones are after turning, which tells no weight"


def _plot(
    values: list[np.ndarray], rows: np.ndarray, length: int, names: list[str], colours: Colours, causal: list[bool]
) -> PlotlyFigure:
    hover = "query %{y}, key %{x}<br>%{z:.4~f}"
    maps = [
        cells(each, rows, rows, hover, coloraxis="coloraxis", xaxis=f"x{end}", yaxis=f"y{end}")
        for each, end in zip(values, ENDS, strict=True)
    ]
    axes = {
        "coloraxis": dict(colorscale=colours.stops, cmin=colours.low, cmax=colours.high, showscale=False),
        "xaxis": axis(length) | dict(domain=[0, PANEL], anchor="y"),
        "xaxis2": axis(length) | dict(domain=[1 - PANEL, 1], anchor="y2"),
        "yaxis": axis(length, downward=True) | dict(anchor="x"),
        "yaxis2": axis(length, downward=True) | dict(anchor="x2"),
    }
    for end, toward in zip(ENDS, ("right", "left"), strict=True):
        axes |= {name: axes[name] | more for name, more in squared(end, toward).items()}
    picture, words = bar(colours, ENDS[1])
    for name, end in zip(names, ENDS, strict=True):
        words += in_panel([_title(name), *titles(KEY, f"{QUERY} ↓")], end)
    masks = [mask(rows, end) for masked, end in zip(causal, ENDS, strict=True) if masked]
    shapes = [shape for grey, _ in masks for shape in grey]
    words += [each for _, told in masks for each in told]
    return plotted(maps, axes, words, shapes, height=HEIGHT, right=colours.room, more_top=NAME, images=[picture])


def _title(name: str) -> dict[str, Any]:
    up = dict(yshift=OVER + NAME, xshift=EDGE - LEFT, xanchor="left", yanchor="middle")
    return note(f"<b>{escaped(name)}</b>", 0, 1, font=dict(size=14), **up)


def _table(abouts: list[About], values: list[np.ndarray]) -> bytes:
    """One line a scheme and cell; cells without a number are left out."""
    parts = []
    for about, each in zip(abouts, values, strict=True):
        down, across = np.nonzero(np.isfinite(each))
        parts.append((about, down, across, each[down, across]))
    counts = [len(part[1]) for part in parts]
    return csv_bytes(
        {
            "scheme": np.repeat(np.array([guarded(part[0].title) for part in parts], object), counts),
            "source": np.repeat(np.array([guarded(part[0].source) for part in parts], object), counts),
            "query_position": np.concatenate([part[1] for part in parts]),
            "key_position": np.concatenate([part[2] for part in parts]),
            "effect": np.concatenate([part[3] for part in parts]),
        }
    )
