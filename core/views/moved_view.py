"""A base against its fine-tuned self as a figure: how far each part of each layer moved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.models.moved_parts import PARTS
from core.views.agreement_view_scale import BAND, DIVERGING
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.plotly import escaped, from_plotly
from core.views.runs import joined, stem_of
from core.views.scales import SCALES, scale_words, short_number

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
    from plotly.graph_objects import Heatmap, Scatter

    from core.models.moved import LayerMove, Moved

SCALE = SCALES["sqrt"]
# The violet side: 0 is clear, so that the page's own ink is read on all of it.
RAMP = [[2 * at - 1, colour] for at, colour in DIVERGING[2:]]
# Pixels of a row with and without numbers, and around the rows.
SIDE, THIN, AROUND = 28, 15, 190
# Rows and columns up to which cells have room for their numbers.
NUMBERED_ROWS, NUMBERED_COLUMNS = 40, 12
# In rows: what lies between the layers and the row of all else, whose names stand under it.
GAP = 0.6
# Names of tensors in a caption, at most, and letters of a part's name on its axis.
NAMED, LONGEST = 3, 24
OUTSIDE = "outside the layers"


def moved_figure(found: Moved, base_name: str, tuned_name: str) -> Figure:
    """Relative move of each part of each layer, and of embeddings, heads and whatever else lies outside the layers.

    base_name, tuned_name: what the two are called.
    """
    words = _caption(found, base_name, tuned_name)
    return from_plotly(
        name="moved",
        title="Layers whose weights moved most",
        how_to="Each cell is a part of a layer, as strong as its weights moved away from the base's, in percent of "
        "their size; 0 means that not one number differs, grey that there is no such part. Weights that moved far need "
        "not have changed what the model does, and a small move can.",
        figure=_plot(found),
        caption=words,
        contents="Both hold relative move, cosine, largest change and count of numbers of every part.",
        stem=stem_of("moved", (base_name, tuned_name)),
        csv=lambda: _table(found, base_name, tuned_name),
        npz=lambda: _archive(found, words),
    )


def _caption(found: Moved, base_name: str, tuned_name: str) -> str:
    still = sum(move.relative == 0 for move in found.layers)
    return joined(
        [
            f"{base_name} → {tuned_name}",
            "relative move: ‖W tuned − W base‖ / ‖W base‖, Frobenius norms over all tensors of a part together",
            "tied weights once",
            scale_words("sqrt", f"{_percent(_top(found.layers))} %"),
            "all weights compared are equal" if found.same else f"{still} of {len(found.layers)} parts did not move",
            "∞: the base is 0 there" if any(math.isinf(move.relative) for move in found.layers) else "",
            "–: no number" if any(math.isnan(move.relative) for move in found.layers) else "",
            *found.common_rows,
            _left_out(found.only_base, "in the base alone"),
            _left_out(found.only_tuned, "in the fine-tuned model alone"),
            _left_out(found.other_shape, "of another shape or packed"),
        ]
    )


def _left_out(names: Sequence[str], why: str) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"left out, {why}: {', '.join(names[:NAMED])}{more}"


def _top(moves: Sequence[LayerMove]) -> float:
    """What the strongest colour stands for: the largest finite move."""
    return max((move.relative for move in moves if math.isfinite(move.relative)), default=0.0)


def _percent(relative: float) -> str:
    if math.isfinite(relative):
        return short_number(100 * relative)
    return "∞" if relative > 0 else "–"


def _plot(found: Moved) -> PlotlyFigure:
    """The layers, stack by stack, and below them one row of all else, with names of its own."""
    import plotly.graph_objects as go

    inside = [move for move in found.layers if move.layer is not None]
    outside = [move for move in found.layers if move.layer is None]
    rows = sorted({(move.stack, move.layer or 0) for move in inside}, key=lambda row: (_stacks(inside)[row[0]], row[1]))
    parts, others = _columns(inside), _columns(outside)
    wide, top = max(len(parts), len(others)), _top(found.layers)
    numbered = len(rows) <= NUMBERED_ROWS and wide <= NUMBERED_COLUMNS
    side = SIDE if numbered else THIN
    figure = go.Figure()
    share = _shares(len(rows), len(others))
    if inside:
        at = [(rows.index((move.stack, move.layer or 0)), parts.index(move.part)) for move in inside]
        _add(figure, "", inside, at, (len(rows), len(parts)), top, numbered)
        figure.update_layout(
            xaxis=_across(parts, wide, "top", "y"), yaxis=_down([_row_name(*row) for row in rows], share[0], "x")
        )
    if outside:
        at = [(0, others.index(move.part)) for move in outside]
        _add(figure, "2", outside, at, (1, len(others)), top, numbered)
        figure.update_layout(xaxis2=_across(others, wide, "bottom", "y2"), yaxis2=_down([OUTSIDE], share[1], "x2"))
    height = AROUND + int(side * (len(rows) + (GAP + 1) * bool(outside)))
    figure.update_layout(height=height, margin=dict(l=10, r=10, t=10, b=10), showlegend=False, hovermode="closest")
    return figure


def _stacks(moves: Sequence[LayerMove]) -> dict[str, int]:
    """Stacks in the order of the network, attention across them last."""
    names = dict.fromkeys(move.stack for move in moves)
    return {name: place for place, name in enumerate(sorted(names, key=lambda name: name == "cross"))}


def _columns(moves: Sequence[LayerMove]) -> list[str]:
    """The parts that there are: known ones in their own order, then the others in the network's."""
    named = dict.fromkeys(move.part for move in moves)
    return [*(part for part in PARTS if part in named), *(part for part in named if part not in PARTS)]


def _shares(rows: int, others: int) -> tuple[list[float], list[float]]:
    """Where on the paper the layers lie, and the row of all else."""
    if not rows or not others:
        return [0.0, 1.0], [0.0, 1.0]
    whole = rows + GAP + 1
    return [(1 + GAP) / whole, 1.0], [0.0, 1 / whole]


def _add(
    figure: PlotlyFigure,
    number: str,
    moves: Sequence[LayerMove],
    at: Sequence[tuple[int, int]],
    shape: tuple[int, int],
    top: float,
    numbered: bool,
) -> None:
    """The cells of one panel and what they say. at: row and column of each move; number: of the panel's axes."""
    cells = np.full(shape, np.nan)
    for move, place in zip(moves, at, strict=True):
        cells[place] = 1.0 if math.isinf(move.relative) else SCALE.place(np.array(move.relative / (top or 1.0)))
    # Both panels have one scale: the first that there is tells it.
    figure.add_trace(_cells(cells, number, top).update(showscale=not figure.data))
    figure.add_trace(_said(moves, at, number, numbered))
    for row, col in np.argwhere(np.isnan(cells)):
        figure.add_shape(
            type="rect", x0=col - 0.46, x1=col + 0.46, y0=row - 0.42, y1=row + 0.42, fillcolor=BAND, line_width=0,
            layer="below", xref=f"x{number}", yref=f"y{number}",
        )  # fmt: skip


def _cells(cells: np.ndarray, number: str, top: float) -> Heatmap:
    import plotly.graph_objects as go

    ticks = [0.0, 0.25, 0.5, 0.75, 1.0] if top else [0.0]
    bar = dict(
        title=dict(text="move, %", side="right"), thickness=12, outlinewidth=0, tickvals=ticks,
        ticktext=[_percent(float(SCALE.share(np.array(tick))) * top) for tick in ticks],
    )  # fmt: skip
    shown = [[None if np.isnan(value) else float(value) for value in row] for row in cells]
    return go.Heatmap(
        z=shown, zmin=0, zmax=1, colorscale=RAMP, xgap=3, ygap=3, hoverinfo="skip", colorbar=bar,
        xaxis=f"x{number}", yaxis=f"y{number}",
    )  # fmt: skip


def _said(moves: Sequence[LayerMove], at: Sequence[tuple[int, int]], number: str, numbered: bool) -> Scatter:
    """Numbers in the page's own ink, and what a cell tells when it is pointed at."""
    import plotly.graph_objects as go

    return go.Scatter(
        x=[col for _, col in at],
        y=[row for row, _ in at],
        mode="markers+text" if numbered else "markers",
        text=[_percent(move.relative) for move in moves],
        textfont_size=12,
        marker=dict(symbol="square", size=(SIDE if numbered else THIN) - 4, opacity=0),
        hovertext=[_hover(move) for move in moves],
        hovertemplate="%{hovertext}<extra></extra>",
        xaxis=f"x{number}",
        yaxis=f"y{number}",
    )


def _hover(move: LayerMove) -> str:
    where = OUTSIDE if move.layer is None else _row_name(move.stack, move.layer)
    return (
        f"<b>{escaped(where)} · {escaped(move.part)}</b><br>moved by {_percent(move.relative)} %<br>"
        f"cosine with the base {_number(move.cosine)}<br>largest change {_number(move.largest)}<br>"
        f"{move.count:,} numbers"
    )


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−") if math.isfinite(value) else "–"


def _row_name(stack: str, layer: int) -> str:
    return f"{stack} {layer}" if stack else f"layer {layer}"


def _across(parts: Sequence[str], wide: int, side: str, anchor: str) -> dict[str, Any]:
    """The axis of parts: both panels have columns of one width."""
    names = [escaped(part if len(part) <= LONGEST else f"{part[: LONGEST - 1]}…") for part in parts]
    return dict(
        tickvals=list(range(len(parts))), ticktext=names, side=side, range=[-0.5, wide - 0.5], anchor=anchor,
        tickangle=-40 if side == "top" else 40, **_plain(),
    )  # fmt: skip


def _down(names: Sequence[str], domain: list[float], anchor: str) -> dict[str, Any]:
    """The axis of rows, the first on top. Of many, one in so many has its name."""
    step = max(1, math.ceil(len(names) / NUMBERED_ROWS))
    places = list(range(0, len(names), step))
    return dict(
        tickvals=places, ticktext=[escaped(names[place]) for place in places], range=[len(names) - 0.5, -0.5],
        domain=domain, anchor=anchor, **_plain(),
    )  # fmt: skip


def _plain() -> dict[str, Any]:
    return dict(showgrid=False, zeroline=False, ticks="", automargin=True, tickfont_size=12)


def _table(found: Moved, base_name: str, tuned_name: str) -> bytes:
    """One line a part."""
    moves = found.layers
    return csv_bytes(
        {
            "base": [guarded(base_name)] * len(moves),
            "tuned": [guarded(tuned_name)] * len(moves),
            "stack": [guarded(move.stack) for move in moves],
            "layer": ["" if move.layer is None else move.layer for move in moves],
            "part": [guarded(move.part) for move in moves],
            "relative": [move.relative for move in moves],
            "cosine": [move.cosine for move in moves],
            "largest": [move.largest for move in moves],
            "count": [move.count for move in moves],
        }
    )


def _archive(found: Moved, words: str) -> bytes:
    """The same as arrays, layer -1 outside the layers, and the names of what was left out."""
    moves = found.layers
    numbers = {name: np.array([getattr(move, name) for move in moves]) for name in ("relative", "cosine", "largest")}
    return npz_bytes(
        {
            **numbers,
            "count": np.array([move.count for move in moves], np.int64),
            "layer": np.array([-1 if move.layer is None else move.layer for move in moves], np.int64),
            "stack": label_array([move.stack for move in moves]),
            "part": label_array([move.part for move in moves]),
            "only_base": label_array(found.only_base),
            "only_tuned": label_array(found.only_tuned),
            "other_shape": label_array(found.other_shape),
        },
        words,
    )
